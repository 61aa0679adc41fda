#include "translate/marks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "translate/mark_words.h"

namespace heed::translate {
namespace {

class MarkPlacer {
 public:
  MarkPlacer(const text::MarkedText& source, const LineResult& result)
      : marks_(source.marks),
        source_(text::decode_utf8(source.text)),
        target_(text::decode_utf8(result.best().text)),
        kept_(kept_spans(source)),
        links_(source_, target_, result),
        places_(marks_.size()) {
    for (const KeptSpan& kept : result.best().kept) kept_targets_[kept.source.from] = kept.target;
    linked_before_.push_back(0);
    for (std::uint32_t t = 0; t < links_.target.size(); ++t)
      linked_before_.push_back(linked_before_.back() +
                               (!links_.target.is_symbol[t] && links_.source_of[t] != MarkLinks::kNone ? 1 : 0));
  }

  // The marks of the translation, in their order.
  std::vector<text::Mark> run();

 private:
  // Where a mark is in the translation.
  struct Place {
    WordRange words;
    text::Span span;
    bool has_words = false;
  };

  WordRange source_words(std::size_t mark) const { return links_.source.in(marks_[mark].span); }
  // What a mark may cover: what its parent covers.
  WordRange limits(const text::Mark& mark) const {
    if (mark.parent < 0) return {0, links_.target.size()};
    return places_[static_cast<std::size_t>(mark.parent)].words;
  }
  bool is_free(const text::Mark& mark, const WordRange& range) const;
  std::optional<WordRange> find(std::size_t mark);
  std::optional<WordRange> find_whole(const WordRange& words, const WordRange& limits) const;
  std::optional<WordRange> find_linked(const text::Mark& mark, const WordRange& words, bool symbols) const;
  std::optional<WordRange> find_closest(const text::Mark& mark, const WordRange& words) const;
  void add_symbols(const text::Mark& mark, const WordRange& words, WordRange& range) const;
  void place_words(std::size_t mark);
  void place_empty(std::size_t mark);
  std::pair<std::uint32_t, bool> position_of(const text::Mark& mark) const;
  std::vector<text::Mark> ordered() const;

  const std::vector<text::Mark>& marks_;
  const std::u32string source_, target_;
  const std::vector<text::Span> kept_;
  const MarkLinks links_;
  std::map<std::uint32_t, text::Span> kept_targets_;  // by where they begin in the line
  std::vector<std::uint32_t> linked_before_;          // by target word: how many before it are linked, without symbols
  std::vector<Place> places_;
  std::map<int, std::map<std::uint32_t, std::uint32_t>> taken_;  // by parent: the words of its marks, from and to
};

// Whether no mark of the same parent has one of the words.
bool MarkPlacer::is_free(const text::Mark& mark, const WordRange& range) const {
  const auto taken = taken_.find(mark.parent);
  if (taken == taken_.end()) return true;
  const auto next = taken->second.lower_bound(range.to);
  return next == taken->second.begin() || std::prev(next)->second <= range.from;
}

// The whole of a sentence or of several, and what a mark inside another shares with it.
std::optional<WordRange> MarkPlacer::find_whole(const WordRange& words, const WordRange& limits) const {
  const MarkBlock &first = links_.block_of(words.from), &last = links_.block_of(words.to - 1);
  if (words.from > first.source.from || words.to < last.source.to) return std::nullopt;
  const WordRange range{std::max(first.target.from, limits.from), std::min(last.target.to, limits.to)};
  return range.empty() ? std::nullopt : std::optional(range);
}

// The run of target words with the most links to the mark's words and the fewest to others.
std::optional<WordRange> MarkPlacer::find_linked(const text::Mark& mark, const WordRange& words, bool symbols) const {
  const WordRange within = limits(mark);
  std::vector<std::uint32_t> linked;
  for (std::uint32_t s = words.from; s < words.to; ++s)
    for (const std::uint32_t t : links_.targets[s])
      if (t >= within.from && t < within.to && links_.target.is_symbol[t] == symbols && is_free(mark, {t, t + 1}))
        linked.push_back(t);
  std::ranges::sort(linked);
  std::optional<WordRange> best;
  std::int64_t best_sum = 0, sum = 0;
  WordRange run;
  for (const std::uint32_t t : linked) {
    const std::int64_t others = run.empty() ? 0 : linked_before_[t] - linked_before_[run.to];
    if (run.empty() || sum <= others || !is_free(mark, {run.from, t})) {
      run = {t, t + 1};
      sum = 1;
    } else {
      run.to = t + 1;
      sum += 1 - others;
    }
    if (sum < best_sum || (sum == best_sum && run.from != best->from)) continue;
    best_sum = sum;
    best = run;
  }
  return best;
}

// For words that no target word attends to most: the one that attends to them at all.
std::optional<WordRange> MarkPlacer::find_closest(const text::Mark& mark, const WordRange& words) const {
  const WordRange within = limits(mark);
  for (std::uint32_t s = words.from; s < words.to; ++s) {
    const std::uint32_t t = links_.closest[s];
    if (t == MarkLinks::kNone || t < within.from || t >= within.to || links_.source.is_symbol[s]) continue;
    if (!links_.target.is_symbol[t] && is_free(mark, {t, t + 1})) return WordRange{t, t + 1};
  }
  return std::nullopt;
}

// Attention says little about punctuation: a mark has as much of it at its ends as in the text, if there is any.
void MarkPlacer::add_symbols(const text::Mark& mark, const WordRange& words, WordRange& range) const {
  const WordRange within = limits(mark);
  const MarkWords& target = links_.target;
  for (std::uint32_t s = words.from; s < words.to && links_.source.is_symbol[s] && range.from > within.from; ++s) {
    const std::uint32_t t = range.from - 1;
    if (!target.is_symbol[t] || target.span(t).to != target.span(range.from).from || !is_free(mark, {t, t + 1})) break;
    range.from = t;
  }
  for (std::uint32_t s = words.to; s > words.from && links_.source.is_symbol[s - 1] && range.to < within.to; --s) {
    const std::uint32_t t = range.to;
    if (!target.is_symbol[t] || target.span(t).from != target.span(t - 1).to || !is_free(mark, {t, t + 1})) break;
    range.to = t + 1;
  }
}

std::optional<WordRange> MarkPlacer::find(std::size_t index) {
  const text::Mark& mark = marks_[index];
  const WordRange words = source_words(index), within = limits(mark);
  if (words.empty() || within.empty()) return std::nullopt;
  if (mark.keep) {
    const auto trimmed = std::ranges::lower_bound(kept_, mark.span.from, {}, &text::Span::from);
    const auto kept = trimmed == kept_.end() ? kept_targets_.end() : kept_targets_.find(trimmed->from);
    if (kept != kept_targets_.end()) {
      const WordRange range = links_.target.in(kept->second);
      if (range.from >= within.from && range.to <= within.to && is_free(mark, range)) return range;
    }
  }
  const bool fills_parent = mark.parent >= 0 && source_words(static_cast<std::size_t>(mark.parent)) == words;
  if (fills_parent && is_free(mark, within)) return within;
  if (const auto whole = find_whole(words, within); whole && is_free(mark, *whole)) return whole;
  const auto first = links_.source.is_symbol.begin();
  const bool only_symbols = std::find(first + words.from, first + words.to, false) == first + words.to;
  std::optional<WordRange> range = find_linked(mark, words, only_symbols);
  if (only_symbols) return range;
  if (!range) range = find_closest(mark, words);
  if (range) add_symbols(mark, words, *range);
  return range;
}

void MarkPlacer::place_words(std::size_t index) {
  const std::optional<WordRange> range = find(index);
  if (!range) return;
  const MarkWords& target = links_.target;
  places_[index] = {*range, {target.span(range->from).from, target.span(range->to - 1).to}, true};
  taken_[marks_[index].parent][range->from] = range->to;
}

// Between which words an empty mark stands: the number of words before it, and whether it touches the next one.
std::pair<std::uint32_t, bool> MarkPlacer::position_of(const text::Mark& mark) const {
  const std::vector<text::Token>& words = links_.source.tokens;
  const std::uint32_t at = mark.span.from;
  // Within a word it stands behind it.
  const auto next = static_cast<std::uint32_t>(
      std::ranges::partition_point(words, [&](const text::Token& word) { return word.span.from < at; }) -
      words.begin());
  if (next == 0) return {0, true};
  if (next == words.size()) return {links_.target.size(), false};
  const MarkBlock& block = links_.block_of(next);
  if (next == block.source.from) return {block.target.from, true};
  const auto before = [&]() -> std::optional<std::pair<std::uint32_t, bool>> {
    for (std::uint32_t s = next; s-- > block.source.from;)
      if (!links_.targets[s].empty()) return std::pair(links_.targets[s].back() + 1, false);
    return std::nullopt;
  };
  const auto behind = [&]() -> std::optional<std::pair<std::uint32_t, bool>> {
    for (std::uint32_t s = next; s < block.source.to; ++s)
      if (!links_.targets[s].empty()) return std::pair(links_.targets[s].front(), true);
    return std::nullopt;
  };
  // What is written together with the next word belongs to it.
  const bool touches_next = words[next].span.from <= mark.span.to && words[next - 1].span.to < at;
  if (const auto found = touches_next ? behind() : before()) return *found;
  if (const auto found = touches_next ? before() : behind()) return *found;
  const std::uint64_t height = block.target.to - block.target.from, width = block.source.to - block.source.from;
  return {block.target.from + static_cast<std::uint32_t>((next - block.source.from) * height / width), true};
}

void MarkPlacer::place_empty(std::size_t index) {
  const text::Mark& mark = marks_[index];
  const MarkWords& target = links_.target;
  Place& place = places_[index];
  if (mark.parent >= 0 && !places_[static_cast<std::size_t>(mark.parent)].has_words) {
    place = places_[static_cast<std::size_t>(mark.parent)];
    return;
  }
  auto [at, touches_next] = position_of(mark);
  const WordRange within = limits(mark);
  at = std::clamp(at, within.from, within.to);
  if (const auto taken = taken_.find(mark.parent); taken != taken_.end()) {
    const auto next = taken->second.lower_bound(at);
    if (next != taken->second.begin() && std::prev(next)->second > at) {
      at = std::prev(next)->second;
      touches_next = false;
    }
  }
  if (at == within.from) touches_next = true;
  if (at == within.to) touches_next = false;
  const auto end = static_cast<std::uint32_t>(target_.size());
  std::uint32_t character =
      touches_next ? (at < target.size() ? target.span(at).from : end) : (at > 0 ? target.span(at - 1).to : 0);
  if (mark.parent < 0 && (within.empty() || mark.span.from == source_.size())) character = end;
  if (mark.parent < 0 && mark.span.to == 0) character = 0;
  place = {{at, at}, {character, character}, false};
}

std::vector<text::Mark> MarkPlacer::run() {
  for (std::size_t i = 0; i < marks_.size(); ++i) place_words(i);
  for (std::size_t i = 0; i < marks_.size(); ++i)
    if (!places_[i].has_words) place_empty(i);
  return ordered();
}

// The marks in the order of the translation, an outer one before those inside it.
std::vector<text::Mark> MarkPlacer::ordered() const {
  std::vector<std::vector<std::size_t>> inside(marks_.size() + 1);  // by parent + 1
  for (std::size_t i = 0; i < marks_.size(); ++i) inside[static_cast<std::size_t>(marks_[i].parent + 1)].push_back(i);
  const auto begin_and_end = [&](std::size_t i) { return std::pair(places_[i].span.from, places_[i].span.to); };
  for (std::vector<std::size_t>& marks : inside) {
    std::ranges::stable_sort(marks, {}, begin_and_end);
    std::ranges::reverse(marks);  // the last of a stack comes first
  }
  std::vector<text::Mark> result;
  std::vector<std::pair<std::size_t, int>> open;  // marks, and the new numbers of their parents
  for (const std::size_t i : inside[0]) open.emplace_back(i, -1);
  while (!open.empty()) {
    const auto [i, parent] = open.back();
    open.pop_back();
    const int index = static_cast<int>(result.size());
    result.push_back({.span = places_[i].span, .id = marks_[i].id, .parent = parent, .keep = marks_[i].keep});
    for (const std::size_t child : inside[i + 1]) open.emplace_back(child, index);
  }
  return result;
}

// An empty mark with a space on both sides, such as an image, has them in the translation too.
void space_out(const text::MarkedText& source, text::MarkedText& target) {
  const std::u32string from = text::decode_utf8(source.text);
  std::set<std::uint32_t> ids;
  for (const text::Mark& mark : source.marks)
    if (mark.span.from == mark.span.to && mark.span.from > 0 && mark.span.from < from.size() &&
        from[mark.span.from - 1] == ' ' && from[mark.span.from] == ' ')
      ids.insert(mark.id);
  if (ids.empty()) return;
  const std::u32string old_text = text::decode_utf8(target.text);
  std::u32string text;
  std::uint32_t copied = 0, added = 0;  // of the old text; spaces
  std::vector<std::size_t> open;        // marks that may have to become longer
  const auto close = [&] {
    target.marks[open.back()].span.to += added;
    open.pop_back();
  };
  for (std::size_t i = 0; i < target.marks.size(); ++i) {
    text::Mark& mark = target.marks[i];
    const std::uint32_t at = mark.span.from;
    while (!open.empty() && static_cast<int>(open.back()) != mark.parent) close();
    mark.span.from += added;
    open.push_back(i);
    const bool has_inner = i + 1 < target.marks.size() && target.marks[i + 1].parent == static_cast<int>(i);
    if (mark.span.to != at || has_inner || at == 0 || !ids.contains(mark.id)) continue;
    const bool space_before = old_text[at - 1] == ' ' || (copied == at && text.ends_with(U' '));
    const bool space_behind = at == old_text.size() || old_text[at] == ' ';
    if (space_before == space_behind) continue;
    text += old_text.substr(copied, at - copied);
    text += U' ';
    copied = at;
    mark.span.to += added + (space_before ? 0 : 1);
    mark.span.from += space_before ? 0 : 1;
    ++added;
    open.pop_back();
  }
  while (!open.empty()) close();
  text += old_text.substr(copied);
  target.text = text::encode_utf8(text);
}

}  // namespace

std::vector<text::Span> kept_spans(const text::MarkedText& source) {
  std::vector<text::Span> spans;
  if (std::ranges::none_of(source.marks, &text::Mark::keep)) return spans;
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const std::u32string text = text::decode_utf8(source.text);
  for (const text::Mark& mark : source.marks) {
    text::Span span = mark.span;
    while (span.from < span.to && classes.is(text[span.from], text::kSpace)) ++span.from;
    while (span.from < span.to && classes.is(text[span.to - 1], text::kSpace)) --span.to;
    if (mark.keep && span.from < span.to && (spans.empty() || spans.back().to <= span.from)) spans.push_back(span);
  }
  return spans;
}

text::MarkedText transfer_marks(const text::MarkedText& source, const LineResult& result) {
  text::MarkedText target{.text = result.best().text};
  if (source.marks.empty()) return target;
  target.marks = MarkPlacer(source, result).run();
  space_out(source, target);
  return target;
}

}  // namespace heed::translate
