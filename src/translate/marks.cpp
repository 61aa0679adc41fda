#include "translate/marks.h"

#include <algorithm>
#include <map>
#include <optional>

#include "translate/attached_marks.h"
#include "translate/mark_words.h"

namespace heed::translate {
namespace {

class MarkPlacer {
 public:
  MarkPlacer(const text::MarkedText& source, const LineResult& result, std::span<const text::AttentionMatrix> reverse)
      : marks_(source.marks),
        source_(text::decode_utf8(source.text)),
        target_(text::decode_utf8(result.best().text)),
        kept_(kept_spans(source)),
        links_(source_, target_, result, reverse),
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
  // The position of an empty mark between target words.
  struct Position {
    std::uint32_t words;      // number of words before it
    bool touches_next;        // false: it touches the previous word
    std::uint32_t space = 0;  // characters between the previous word and the mark
  };

  WordRange source_words(std::size_t mark) const { return links_.source.in(marks_[mark].span); }
  // The target words that a mark may cover: those of its parent.
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
  Position position_of(const text::Mark& mark) const;
  std::vector<text::Mark> ordered() const;

  const std::vector<text::Mark>& marks_;
  const std::u32string source_, target_;
  const std::vector<text::Span> kept_;
  const MarkLinks links_;
  std::map<std::uint32_t, text::Span> kept_targets_;  // by the start of the kept span in the line
  std::vector<std::uint32_t> linked_before_;          // by target word: number of links before it, without symbols
  std::vector<Place> places_;
  std::map<int, std::map<std::uint32_t, std::uint32_t>> taken_;  // by parent: the words of its marks, from -> to
};

// Whether no mark of the same parent covers any of the words yet.
bool MarkPlacer::is_free(const text::Mark& mark, const WordRange& range) const {
  const auto taken = taken_.find(mark.parent);
  if (taken == taken_.end()) return true;
  const auto next = taken->second.lower_bound(range.to);
  return next == taken->second.begin() || std::prev(next)->second <= range.from;
}

// If the source words are all words of one or more chunks: the translation of these chunks, within the limits.
std::optional<WordRange> MarkPlacer::find_whole(const WordRange& words, const WordRange& limits) const {
  const MarkChunk &first = links_.chunk_of(words.from), &last = links_.chunk_of(words.to - 1);
  if (words.from > first.source.from || words.to < last.source.to) return std::nullopt;
  const WordRange range{std::max(first.target.from, limits.from), std::min(last.target.to, limits.to)};
  return range.empty() ? std::nullopt : std::optional(range);
}

// The run of target words that maximizes the number of links to the mark's words minus that of links to other words.
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

// For source words without links: the target word that attends most to one of them.
std::optional<WordRange> MarkPlacer::find_closest(const text::Mark& mark, const WordRange& words) const {
  const WordRange within = limits(mark);
  for (std::uint32_t s = words.from; s < words.to; ++s) {
    const std::uint32_t t = links_.closest[s];
    if (t == MarkLinks::kNone || t < within.from || t >= within.to || links_.source.is_symbol[s]) continue;
    if (!links_.target.is_symbol[t] && is_free(mark, {t, t + 1})) return WordRange{t, t + 1};
  }
  return std::nullopt;
}

// Attention says little about punctuation. For each symbol at an end of the mark in the text, extends the same end in
// the translation over one adjacent symbol, if there is one.
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

// The target words that a mark covers; none if it has no words, or if they have no translation.
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

// The position of an empty mark: next to the translation of a neighboring word, within the same chunk.
MarkPlacer::Position MarkPlacer::position_of(const text::Mark& mark) const {
  const std::vector<text::Token>& words = links_.source.tokens;
  const std::uint32_t at = mark.span.from;
  // A mark inside a word is placed after the word.
  const auto next = static_cast<std::uint32_t>(
      std::ranges::partition_point(words, [&](const text::Token& word) { return word.span.from < at; }) -
      words.begin());
  if (next == 0) return {0, true};
  if (next == words.size()) return {links_.target.size(), false};
  const MarkChunk& chunk = links_.chunk_of(next);
  // A mark between two chunks stays with the one that it touches.
  const std::uint32_t space = at - std::min(words[next - 1].span.to, at);
  if (next == chunk.source.from) return {chunk.target.from, words[next].span.from == at && space > 0, space};
  const auto before = [&]() -> std::optional<Position> {
    for (std::uint32_t s = next; s-- > chunk.source.from;)
      if (!links_.targets[s].empty()) return Position{links_.targets[s].back() + 1, false};
    return std::nullopt;
  };
  const auto after = [&]() -> std::optional<Position> {
    for (std::uint32_t s = next; s < chunk.source.to; ++s)
      if (!links_.targets[s].empty()) return Position{links_.targets[s].front(), true};
    return std::nullopt;
  };
  // A mark that touches only the next word stays with that word.
  const bool touches_next = words[next].span.from <= mark.span.to && words[next - 1].span.to < at;
  if (const auto found = touches_next ? after() : before()) return *found;
  if (const auto found = touches_next ? before() : after()) return *found;
  const std::uint64_t height = chunk.target.to - chunk.target.from, width = chunk.source.to - chunk.source.from;
  return {chunk.target.from + static_cast<std::uint32_t>((next - chunk.source.from) * height / width), true};
}

void MarkPlacer::place_empty(std::size_t index) {
  const text::Mark& mark = marks_[index];
  const MarkWords& target = links_.target;
  Place& place = places_[index];
  if (mark.parent >= 0 && !places_[static_cast<std::size_t>(mark.parent)].has_words) {
    place = places_[static_cast<std::size_t>(mark.parent)];
    return;
  }
  auto [at, touches_next, space] = position_of(mark);
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
  if (!touches_next && at > within.from && at < within.to)
    character = std::min(character + space, target.span(at).from);
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
    std::ranges::reverse(marks);  // `open` is a stack
  }
  std::vector<text::Mark> result;
  std::vector<std::pair<std::size_t, int>> open;  // marks, and the new indices of their parents
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

// Keeps the spaces next to empty marks, such as images.
void keep_spaces(const text::MarkedText& source, text::MarkedText& target) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const std::u32string from = text::decode_utf8(source.text);
  struct Spaces {
    bool before, after;
  };
  std::map<std::uint32_t, Spaces> spaces;  // by id
  for (const text::Mark& mark : source.marks) {
    const auto [at, end] = mark.span;
    const Spaces found{at > 0 && from[at - 1] == ' ', end < from.size() && from[end] == ' '};
    if (at == end && (found.before || found.after)) spaces[mark.id] = found;
  }
  if (spaces.empty()) return;
  const auto is_word = [&](char32_t c) {
    return classes.is(c, text::kLetter | text::kNumber) && !is_written_without_spaces(c);
  };
  const auto is_opening = [](char32_t c) { return c == '(' || c == '[' || c == U'„' || c == U'“' || c == U'«'; };
  insert_at_marks(target, [&](const text::Mark& mark, char32_t before, char32_t after) {
    MarkInsertion spaced;
    const auto found = spaces.find(mark.id);
    if (found == spaces.end()) return spaced;
    const bool needs_none =
        before == 0 || classes.is(before, text::kSpace) || is_opening(before) || is_written_without_spaces(before);
    if (found->second.before && !needs_none) spaced.before = U' ';
    if (found->second.after && (is_word(after) || is_opening(after))) spaced.after = U' ';
    return spaced;
  });
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

std::span<const LineResult> chunks_of(const LineResult& result) {
  return result.chunks.empty() ? std::span(&result, 1) : std::span(result.chunks);
}

text::MarkedText transfer_marks(const text::MarkedText& source, const LineResult& result,
                                std::span<const text::AttentionMatrix> reverse) {
  text::MarkedText target{.text = result.best().text};
  if (source.marks.empty()) return target;
  target.marks = MarkPlacer(source, result, reverse).run();
  keep_spaces(source, target);
  return target;
}

}  // namespace heed::translate
