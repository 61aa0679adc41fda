#include "translate/place_spans.h"

#include <algorithm>
#include <optional>

#include "text/placeholders.h"
#include "text/scripts.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

constexpr float kAnchor = 0.2F;  // minimum weight for a word to count as the translation of a span's neighbor

bool same_letters(std::u32string_view a, std::u32string_view b) {
  return std::ranges::equal(a, b, {}, text::fold_case, text::fold_case);
}

class SpanPlacer {
 public:
  SpanPlacer(const SpanTask& task, const text::AttentionMatrix& map, std::u32string_view translation)
      : task_(task), map_(map), text_(translation), found_(text::find_protected_spans(translation)) {
    make_units();
    set_weights();
    for (const text::Span& term : task.terms)
      for (Unit& unit : units_in(term)) unit.item = kTerm;
    places_.items.resize(task.items.size());
    placed_.assign(task.items.size(), false);
  }

  SpanPlaces run() {
    for (std::size_t i = 0; i < placed_.size(); ++i) place_written(i);
    place_copies();
    place_aligned();
    remove_invented();
    for (std::size_t i = 0; i < placed_.size(); ++i)
      if (!placed_[i]) insert(i);
    keep_nesting();
    return std::move(places_);
  }

 private:
  static constexpr int kFree = -1, kRemoved = -2, kTerm = -3;

  // A word or symbol of the translation, which can only be replaced as a whole.
  struct Unit {
    text::Span span;
    std::size_t first_token, tokens;
    bool is_word = false;
    int item = kFree;
  };

  std::u32string_view text_of(const text::Span& span) const { return text_.substr(span.from, span.to - span.from); }
  bool is_word(char32_t c) const { return classes_.is(c, text::kLetter | text::kNumber | text::kNonspacing); }
  bool can_replace(const Unit& unit) const { return unit.item == kFree && unit.span.from >= task_.fixed; }
  bool is_copy(const Unit& unit) const {
    return !task_.stand_in.empty() && same_letters(text_of(unit.span), task_.stand_in);
  }
  // The units that have a character in the span.
  std::span<Unit> units_in(const text::Span& span) {
    const auto first = std::ranges::upper_bound(units_, span.from, {}, [](const Unit& unit) { return unit.span.to; });
    const auto last =
        std::ranges::lower_bound(first, units_.end(), span.to, {}, [](const Unit& u) { return u.span.from; });
    return {first, last};
  }
  bool has_break(std::uint32_t from, std::uint32_t to) const {
    const auto next = std::ranges::upper_bound(task_.breaks, from);
    return next != task_.breaks.end() && *next < to;
  }
  bool is_unknown(const Unit& unit) const { return !task_.unknown.empty() && text_of(unit.span) == task_.unknown; }

  void make_units();
  void set_weights();
  bool is_aligned(std::size_t item, std::size_t unit) const;
  void take(std::size_t item, const text::Span& at, bool is_written);
  void place_written(std::size_t item);
  template <class Wanted>
  void place_best(const Wanted& wanted, bool extend);
  void place_copies();
  void place_aligned();
  void remove_invented();
  void insert(std::size_t item);
  std::uint32_t outside(std::uint32_t at) const;
  void keep_nesting();
  void surround(std::size_t open, std::size_t close);
  std::optional<std::uint32_t> edge_of(std::size_t source_token, bool end) const;

  const SpanTask& task_;
  const text::AttentionMatrix& map_;
  std::u32string_view text_;
  std::vector<text::ProtectedSpan> found_;  // in the translation
  const text::CharacterClasses& classes_ = text::CharacterClasses::get();
  std::vector<Unit> units_;
  std::vector<std::vector<std::size_t>> sources_;  // by item, its source tokens
  std::vector<int> item_of_source_;                // by source token
  // [unit][source token]: the mean over the tokens of the unit; empty without weights
  std::vector<std::vector<float>> means_;
  std::vector<std::vector<float>> weights_;  // [unit][item]: the sum of the means over the item's source tokens
  std::vector<bool> placed_;
  SpanPlaces places_;
};

// Subwords and characters of one word are one unit.
void SpanPlacer::make_units() {
  const std::size_t tokens = map_.target.size() - (map_.target_end ? 1 : 0);
  for (std::size_t t = 0; t < tokens; ++t) {
    const text::Span& span = map_.target[t].span;
    if (span.from >= span.to || span.to > text_.size()) continue;
    const bool word = std::ranges::any_of(text_of(span), [&](char32_t c) { return is_word(c); });
    const bool joins = !units_.empty() && units_.back().span.to == span.from && is_word(text_[span.from - 1]) &&
                       is_word(text_[span.from]) && !has_break(span.from - 1, span.to);
    if (!joins) {
      units_.push_back({.span = span, .first_token = t, .tokens = 1, .is_word = word});
      continue;
    }
    units_.back().span.to = span.to;
    units_.back().tokens = t + 1 - units_.back().first_token;
  }
}

void SpanPlacer::set_weights() {
  const std::size_t width = map_.source.size();
  item_of_source_.assign(width, kFree);
  for (const SpanItem& item : task_.items) {
    std::vector<std::size_t>& tokens = sources_.emplace_back();
    for (std::size_t s = 0; s < width && item.form != SpanForm::left_out; ++s) {
      if (!text::overlap(map_.source[s].span, item.span.span)) continue;
      tokens.push_back(s);
      item_of_source_[s] = static_cast<int>(sources_.size() - 1);
    }
  }
  weights_.assign(units_.size(), std::vector<float>(sources_.size(), 0.0F));
  if (!map_.has_weights()) return;
  for (const Unit& unit : units_) {
    std::vector<float>& mean = means_.emplace_back(width, 0.0F);
    for (std::size_t t = unit.first_token; t < unit.first_token + unit.tokens; ++t)
      for (std::size_t s = 0; s < width; ++s) mean[s] += map_.at(t, s) / static_cast<float>(unit.tokens);
    std::vector<float>& sums = weights_[means_.size() - 1];
    for (std::size_t i = 0; i < sources_.size(); ++i)
      for (const std::size_t s : sources_[i]) sums[i] += mean[s];
  }
}

// Whether the unit attends to the span at least as much as to any other span, word or the end symbol.
bool SpanPlacer::is_aligned(std::size_t item, std::size_t unit) const {
  const float weight = weights_[unit][item];
  if (weight <= 0 || std::ranges::any_of(weights_[unit], [&](float other) { return other > weight; })) return false;
  for (std::size_t s = 0; s < means_[unit].size(); ++s)
    if (item_of_source_[s] != static_cast<int>(item) && means_[unit][s] > weight) return false;
  return true;
}

void SpanPlacer::take(std::size_t item, const text::Span& at, bool is_written) {
  places_.items[item] = {.at = at, .is_written = is_written};
  placed_[item] = true;
  for (Unit& unit : units_in(at)) unit.item = static_cast<int>(item);
}

// Places a span that the translation already has: as its placeholder, its text, the same digits, or a number in words.
void SpanPlacer::place_written(std::size_t item) {
  const SpanItem& wanted = task_.items[item];
  const bool numeric = is_numeric(wanted.span.kind);
  std::vector<text::Span> candidates;
  if (wanted.form == SpanForm::placeholder)
    for (std::uint32_t k = 0; k < text_.size(); ++k)
      if (text_[k] == wanted.token) candidates.push_back({k, k + 1});
  const std::u32string key = numeric ? text::numeric_key(wanted.text) : std::u32string();
  for (const text::ProtectedSpan& found : found_)
    if (numeric ? is_numeric(found.kind) && text::numeric_key(text_of(found.span)) == key
                : text_of(found.span) == wanted.text)
      candidates.push_back(found.span);
  const bool is_small = wanted.span.kind == text::SpanKind::number && wanted.text.size() <= 2 &&
                        std::ranges::all_of(wanted.text, text::is_ascii_digit);
  if (candidates.empty() && is_small && task_.numbers != nullptr)
    for (const Unit& unit : units_)
      if (unit.is_word && is_aligned(item, static_cast<std::size_t>(&unit - units_.data())) &&
          task_.numbers->spells(text::encode_utf8(text_of(unit.span)), std::stoi(text::encode_utf8(wanted.text))))
        candidates.push_back(unit.span);
  float best_weight = -1;
  text::Span best;
  for (const text::Span& candidate : candidates) {
    float weight = 0;
    bool is_free = true;
    for (const Unit& unit : units_in(candidate)) {
      weight += weights_[static_cast<std::size_t>(&unit - units_.data())][item];
      is_free = is_free && unit.item == kFree;
    }
    if (!is_free || weight <= best_weight) continue;
    best_weight = weight;
    best = candidate;
  }
  if (best_weight >= 0) take(item, best, true);
}

// Places spans at units for which wanted(item, unit) is true, pairs with the highest weights first. With `extend`, a
// span also replaces the neighboring words that are aligned to it.
template <class Wanted>
void SpanPlacer::place_best(const Wanted& wanted, bool extend) {
  struct Pair {
    std::size_t item, unit;
    float weight;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < placed_.size(); ++i)
    for (std::size_t u = 0; u < units_.size() && !placed_[i]; ++u)
      if (can_replace(units_[u]) && wanted(i, u)) pairs.push_back({i, u, weights_[u][i]});
  std::ranges::stable_sort(pairs, std::greater{}, &Pair::weight);
  for (const Pair& pair : pairs) {
    if (placed_[pair.item] || units_[pair.unit].item != kFree) continue;
    std::size_t first = pair.unit, last = pair.unit;
    const auto belongs = [&](std::size_t u) {
      return can_replace(units_[u]) && units_[u].is_word && is_aligned(pair.item, u) &&
             !has_break(units_[std::min(u, first)].span.from, units_[std::max(u, last)].span.to);
    };
    while (extend && first > 0 && belongs(first - 1)) --first;
    while (extend && last + 1 < units_.size() && belongs(last + 1)) ++last;
    take(pair.item, {units_[first].span.from, units_[last].span.to}, false);
  }
}

// Places spans where the model has copied the stand-in or written its symbol for unknown words.
void SpanPlacer::place_copies() {
  place_best(
      [&](std::size_t i, std::size_t u) {
        if (task_.items[i].form != SpanForm::stand_in) return false;
        return is_copy(units_[u]) || (is_unknown(units_[u]) && (is_aligned(i, u) || !map_.has_weights()));
      },
      false);
}

void SpanPlacer::place_aligned() {
  place_best([&](std::size_t i, std::size_t u) { return units_[u].is_word && is_aligned(i, u); }, true);
}

void SpanPlacer::remove_invented() {
  const auto remove = [&](const text::Span& span) {
    const std::span<Unit> units = units_in(span);
    if (span.from < task_.fixed || std::ranges::any_of(units, [](const Unit& unit) { return unit.item != kFree; }))
      return;
    places_.removed.push_back(span);
    for (Unit& unit : units) unit.item = kRemoved;
  };
  for (const text::ProtectedSpan& found : found_)
    if (!is_numeric(found.kind) && found.kind != text::SpanKind::path && text_of(found.span) != task_.unknown)
      remove(found.span);
  for (const Unit& unit : units_) {
    if (unit.item == kFree && (is_copy(unit) || text::is_placeholder(text_[unit.span.from]))) remove(unit.span);
  }
}

// Where the translation of a source token begins or, if `end`, ends; none if it is unknown.
std::optional<std::uint32_t> SpanPlacer::edge_of(std::size_t source_token, bool end) const {
  const auto edge = [&](const text::Span& span) { return end ? span.to : span.from; };
  const int item = item_of_source_[source_token];
  if (item >= 0 && placed_[static_cast<std::size_t>(item)])
    return edge(places_.items[static_cast<std::size_t>(item)].at);
  std::size_t best = units_.size();
  float weight = kAnchor;
  for (std::size_t u = 0; u < means_.size(); ++u) {
    if (units_[u].item == kRemoved || !units_[u].is_word || means_[u][source_token] < weight) continue;
    weight = means_[u][source_token];
    best = u;
  }
  if (best == units_.size()) return std::nullopt;
  const int owner = units_[best].item;
  return edge(owner >= 0 ? places_.items[static_cast<std::size_t>(owner)].at : units_[best].span);
}

// The position itself or, if it is inside text that must not change or that is replaced, the end of that text.
std::uint32_t SpanPlacer::outside(std::uint32_t at) const {
  at = std::max(at, std::min(task_.fixed, static_cast<std::uint32_t>(text_.size())));
  const auto leave = [&](const text::Span& span) {
    if (span.from < at && at < span.to) at = span.to;
  };
  for (std::size_t i = 0; i < placed_.size(); ++i)
    if (placed_[i]) leave(places_.items[i].at);
  for (const text::Span& removed : places_.removed) leave(removed);
  for (const text::Span& term : task_.terms) leave(term);
  return at;
}

// Inserts a span that has no counterpart in the translation. A span at the start of the sentence stays at the start,
// and an emoji at the end stays at the end. Otherwise it goes after the translation of the word before it or, if it is
// an opening tag, before that of the word after it. If that is unknown, it goes to the same relative position.
void SpanPlacer::insert(std::size_t item) {
  const SpanItem& wanted = task_.items[item];
  const text::Span& span = wanted.span.span;
  const bool opens =
      wanted.span.kind == text::SpanKind::tag && !wanted.text.starts_with(U"</") && !wanted.text.ends_with(U"/>");
  std::optional<std::size_t> before, after;
  for (std::size_t s = 0; s < map_.source.size() - (map_.source_end ? 1 : 0); ++s) {
    const text::Span& token = map_.source[s].span;
    if (token.from == token.to) continue;
    if (token.to <= span.from) before = s;
    if (token.from >= span.to && !after) after = s;
  }
  const auto end = static_cast<std::uint32_t>(text_.size());
  std::optional<std::uint32_t> at;
  if (!before) at = 0;
  if (!after && wanted.span.kind == text::SpanKind::emoji && !at) at = end;
  for (const bool follows : {!opens, opens})
    if (const auto& neighbor = follows ? before : after; !at && neighbor) at = edge_of(*neighbor, follows);
  if (!after && !at) at = end;
  const bool is_certain = at.has_value();
  if (!at) {
    const std::uint32_t sentence = std::max<std::uint32_t>(text::end_of(map_.source), 1);
    const std::size_t unit = units_.size() * std::min(span.from, sentence) / sentence;
    at = units_.empty() ? end : units_[std::min(unit, units_.size() - 1)].span.from;
  }
  at = outside(*at);
  places_.items[item] = {.at = {*at, *at}, .is_guess = !is_certain || wanted.form != SpanForm::left_out};
  placed_[item] = true;
}

// For each tag the index of its partner among the tags, or its own index if it needs none; empty if the tags are not
// properly nested.
std::vector<std::size_t> find_partners(std::span<const SpanItem> items, std::span<const std::size_t> tags) {
  std::vector<std::size_t> partners(tags.size()), open;
  std::vector<std::u32string_view> names;
  for (std::size_t k = 0; k < tags.size(); ++k) {
    const std::u32string_view text = items[tags[k]].text;
    const std::size_t from = text.starts_with(U"</") ? 2 : 1;
    const std::u32string_view name = text.substr(from, text.find_first_of(U" \t/>", from) - from);
    partners[k] = k;
    if (text.ends_with(U"/>") || name == U"br" || name == U"img" || name == U"hr") continue;
    if (from == 1) {
      open.push_back(k);
      names.push_back(name);
      continue;
    }
    if (open.empty() || names.back() != name) return {};
    partners[k] = open.back();
    partners[open.back()] = k;
    open.pop_back();
    names.pop_back();
  }
  return open.empty() ? partners : std::vector<std::size_t>();
}

// Moves two tags around the translations of the words between them.
void SpanPlacer::surround(std::size_t open, std::size_t close) {
  std::optional<std::uint32_t> from, to;
  for (std::size_t s = 0; s < map_.source.size(); ++s) {
    const text::Span& token = map_.source[s].span;
    if (token.from < task_.items[open].span.span.to || token.to > task_.items[close].span.span.from) continue;
    const auto first = edge_of(s, false), last = edge_of(s, true);
    if (first) from = std::min(from.value_or(*first), *first);
    if (last) to = std::max(to.value_or(*last), *last);
  }
  if (!from || !to) return;
  places_.items[open].at = {outside(*from), outside(*from)};
  places_.items[close].at = {outside(*to), outside(*to)};
}

// Tags that are nested in the sentence must be nested in the translation. If an end tag would come before its start
// tag, both move; if that is not enough, all tags keep their order.
void SpanPlacer::keep_nesting() {
  std::vector<std::size_t> tags;
  for (std::size_t i = 0; i < task_.items.size(); ++i)
    if (task_.items[i].span.kind == text::SpanKind::tag) tags.push_back(i);
  const std::vector<std::size_t> partners = find_partners(task_.items, tags);
  if (partners.size() < 2) return;
  const auto is_nested = [&] {
    std::vector<std::size_t> placed = tags;
    std::ranges::stable_sort(placed, {}, [&](std::size_t i) { return places_.items[i].at.from; });
    return placed == tags || !find_partners(task_.items, placed).empty();
  };
  const bool is_written = std::ranges::any_of(tags, [&](std::size_t i) { return places_.items[i].is_written; });
  if (is_written || is_nested()) return;
  for (std::size_t k = 0; k < tags.size(); ++k)
    if (partners[k] > k && places_.items[tags[partners[k]]].at.from < places_.items[tags[k]].at.from)
      surround(tags[k], tags[partners[k]]);
  if (is_nested()) return;
  std::uint32_t last = 0;
  for (const std::size_t i : tags) {
    SpanPlace& place = places_.items[i];
    if (place.at.from < last) {
      const bool opens = !task_.items[i].text.starts_with(U"</");
      while (opens && last < text_.size() && text_[last] == ' ') ++last;
      last = outside(last);
      place = {.at = {last, last}, .is_guess = true};
    }
    last = place.at.to;
  }
}

}  // namespace

SpanPlaces place_spans(const SpanTask& task, const text::AttentionMatrix& map, std::u32string_view translation) {
  return SpanPlacer(task, map, translation).run();
}

}  // namespace heed::translate
