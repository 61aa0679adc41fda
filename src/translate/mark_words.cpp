#include "translate/mark_words.h"

#include <algorithm>

#include "text/scripts.h"
#include "text/spans.h"
#include "translate/marks.h"

namespace heed::translate {
namespace {

std::vector<text::Span> spans_of(const std::vector<KeptSpan>& kept, text::Span KeptSpan::*side) {
  std::vector<text::Span> spans;
  for (const KeptSpan& span : kept) spans.push_back(span.*side);
  return spans;
}

}  // namespace

bool is_written_without_spaces(char32_t c) {
  if (c < 0x0E00) return false;
  static const text::Script kHan = text::script_of(U'\u4E00');
  return c < 0x0F00 || (c >= 0x1000 && c < 0x10A0) || (c >= 0x1780 && c < 0x1800) || text::script_of(c) == kHan;
}

MarkWords::MarkWords(std::u32string_view text, std::vector<text::Span> kept) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  const auto is_letter = [&](char32_t c) { return classes.is(c, text::kLetter | text::kNumber | text::kAlphabetic); };
  const auto add = [&](std::uint32_t from, std::uint32_t to, bool symbol) {
    tokens.push_back({{}, {from, to}});
    is_symbol.push_back(symbol);
  };
  std::ranges::sort(kept, {}, &text::Span::from);
  auto next = kept.begin();
  bool joins = false;  // the previous character is a letter of the same word
  for (std::uint32_t i = 0; i < text.size();) {
    while (next != kept.end() && (next->from < i || next->from >= next->to)) ++next;
    if (next != kept.end() && next->from == i && next->to <= text.size()) {
      add(i, next->to, false);
      i = next->to;
      joins = false;
      continue;
    }
    const char32_t c = text[i];
    const bool letter = is_letter(c), mark = classes.is(c, text::kNonspacing);
    if (joins && (mark || (letter && !is_written_without_spaces(c))))
      tokens.back().span.to = i + 1;
    else if (!classes.is(c, text::kSpace))
      add(i, i + 1, !letter);
    joins = (letter && !is_written_without_spaces(c)) || (joins && mark);
    ++i;
  }
}

WordRange MarkWords::in(const text::Span& span) const {
  if (span.from >= span.to) return {};
  const auto words = text::words_in(tokens, span);
  const auto first = static_cast<std::uint32_t>(words.data() - tokens.data());
  return {first, first + static_cast<std::uint32_t>(words.size())};
}

MarkLinks::MarkLinks(std::u32string_view line, std::u32string_view translation, const LineResult& result,
                     std::span<const text::AttentionMatrix> reverse)
    : source(line, spans_of(result.best().kept, &KeptSpan::source)),
      target(translation, spans_of(result.best().kept, &KeptSpan::target)) {
  source_of.assign(target.size(), kNone);
  targets.resize(source.size());
  closest.assign(source.size(), kNone);

  std::vector<const text::AttentionMatrix*> maps;
  for (const LineResult& chunk : chunks_of(result)) maps.push_back(&chunk.best().attention);
  // A chunk begins with its first token, and the first chunk with the text, so that every word is in a chunk.
  const auto first_word = [](const MarkWords& words, const std::vector<text::Token>& tokens) {
    if (tokens.empty()) return words.size();
    const std::uint32_t from = tokens.front().span.from;
    return static_cast<std::uint32_t>(
        std::ranges::partition_point(words.tokens, [&](const text::Token& word) { return word.span.to <= from; }) -
        words.tokens.begin());
  };
  MarkChunk chunk{.source = {0, source.size()}, .target = {0, target.size()}};
  for (std::size_t k = maps.size(); k-- > 0;) {
    chunk.source.from = k == 0 ? 0 : std::min(first_word(source, maps[k]->source), chunk.source.to);
    chunk.target.from = k == 0 ? 0 : std::min(first_word(target, maps[k]->target), chunk.target.to);
    chunks.push_back(chunk);
    chunk = {.source = {0, chunk.source.from}, .target = {0, chunk.target.from}};
  }
  std::ranges::reverse(chunks);
  for (std::size_t k = 0; k < chunks.size(); ++k)
    link_chunk(chunks[k], *maps[k], reverse.empty() || !reverse[k].has_weights() ? nullptr : &reverse[k]);
  // The translation of a kept span is known exactly: no other word is linked to the span, whatever it attends to.
  std::vector<bool> is_kept(source.size(), false);
  for (const KeptSpan& kept : result.best().kept)
    if (const WordRange from = source.in(kept.source); !from.empty() && !target.in(kept.target).empty())
      is_kept[from.from] = true;
  for (std::uint32_t& word : source_of)
    if (word != kNone && is_kept[word]) word = kNone;
  for (const KeptSpan& kept : result.best().kept)
    for (WordRange from = source.in (kept.source), to = target.in(kept.target); to.from < to.to; ++to.from)
      if (!from.empty()) source_of[to.from] = from.from;
  for (std::uint32_t t = 0; t < target.size(); ++t)
    if (source_of[t] != kNone) targets[source_of[t]].push_back(t);
}

text::AttentionMatrix MarkLinks::word_weights(const MarkChunk& chunk, const text::AttentionMatrix& map,
                                              const text::AttentionMatrix* reverse) const {
  const auto sources = std::span(source.tokens).subspan(chunk.source.from, chunk.source.to - chunk.source.from);
  const auto targets_of_chunk =
      std::span(target.tokens).subspan(chunk.target.from, chunk.target.to - chunk.target.from);
  text::AttentionMatrix words = by_words(map, sources, targets_of_chunk);
  if (reverse == nullptr) return words;
  const text::AttentionMatrix opposite = by_words(*reverse, targets_of_chunk, sources);
  for (float& weight : words.weights) weight /= 2;
  for (std::size_t t = 0; t < targets_of_chunk.size(); ++t)
    for (std::size_t s = 0; s < sources.size(); ++s)
      words.weights[t * words.source.size() + s] += opposite.at(s, t) / 2;
  return words;
}

void MarkLinks::link_chunk(const MarkChunk& chunk, const text::AttentionMatrix& map,
                           const text::AttentionMatrix* reverse) {
  const std::uint32_t width = chunk.source.to - chunk.source.from, height = chunk.target.to - chunk.target.from;
  if (width == 0 || height == 0) return;
  if (!map.has_weights()) {
    for (std::uint32_t t = 0; t < height; ++t)
      source_of[chunk.target.from + t] =
          chunk.source.from + static_cast<std::uint32_t>(std::uint64_t{t} * width / height);
    return;
  }
  constexpr float kLeast = 0.1F;  // minimum weight for `closest`
  const text::AttentionMatrix words = word_weights(chunk, map, reverse);
  std::vector<float> most(width, kLeast);
  for (std::uint32_t t = 0; t < height; ++t) {
    // If weights are equal, words are linked to words and symbols to symbols: a token may contain both.
    std::uint32_t best = kNone, best_other = 0;
    for (std::uint32_t s = 0; s < width; ++s) {
      const float weight = words.at(t, s);
      const bool same_kind = source.is_symbol[chunk.source.from + s] == target.is_symbol[chunk.target.from + t];
      if (same_kind && (best == kNone || weight > words.at(t, best))) best = s;
      if (weight > words.at(t, best_other)) best_other = s;
      if (weight <= most[s]) continue;
      most[s] = weight;
      closest[chunk.source.from + s] = chunk.target.from + t;
    }
    if (best == kNone || words.at(t, best) < words.at(t, best_other)) best = best_other;
    const bool attends_to_end = words.source_end && words.at(t, width) > words.at(t, best);
    if (words.at(t, best) > 0 && !attends_to_end) source_of[chunk.target.from + t] = chunk.source.from + best;
  }
}

const MarkChunk& MarkLinks::chunk_of(std::uint32_t source_word) const {
  const auto found =
      std::ranges::partition_point(chunks, [&](const MarkChunk& chunk) { return chunk.source.to <= source_word; });
  return found == chunks.end() ? chunks.back() : *found;
}

}  // namespace heed::translate
