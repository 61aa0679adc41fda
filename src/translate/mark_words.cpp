#include "translate/mark_words.h"

#include <algorithm>

#include "text/scripts.h"
#include "text/spans.h"

namespace heed::translate {
namespace {

// Chinese, Japanese, Thai, Lao, Khmer and Burmese do not separate words.
bool has_no_spaces(char32_t c) {
  if (c < 0x0E00) return false;
  static const text::Script kHan = text::script_of(U'\u4E00');
  return c < 0x0F00 || (c >= 0x1000 && c < 0x10A0) || (c >= 0x1780 && c < 0x1800) || text::script_of(c) == kHan;
}

std::vector<text::Span> spans_of(const std::vector<KeptSpan>& kept, text::Span KeptSpan::*side) {
  std::vector<text::Span> spans;
  for (const KeptSpan& span : kept) spans.push_back(span.*side);
  return spans;
}

}  // namespace

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
    if (joins && (mark || (letter && !has_no_spaces(c))))
      tokens.back().span.to = i + 1;
    else if (!classes.is(c, text::kSpace))
      add(i, i + 1, !letter);
    joins = (letter && !has_no_spaces(c)) || (joins && mark);
    ++i;
  }
}

WordRange MarkWords::in(const text::Span& span) const {
  if (span.from >= span.to) return {};
  const auto words = text::words_in(tokens, span);
  const auto first = static_cast<std::uint32_t>(words.data() - tokens.data());
  return {first, first + static_cast<std::uint32_t>(words.size())};
}

MarkLinks::MarkLinks(std::u32string_view line, std::u32string_view translation, const LineResult& result)
    : source(line, spans_of(result.best().kept, &KeptSpan::source)),
      target(translation, spans_of(result.best().kept, &KeptSpan::target)) {
  source_of.assign(target.size(), kNone);
  targets.resize(source.size());
  closest.assign(source.size(), kNone);

  std::vector<const text::AttentionMatrix*> maps;
  for (const LineResult& chunk : result.chunks) maps.push_back(&chunk.best().attention);
  if (maps.empty()) maps.push_back(&result.best().attention);
  // A block begins with its first token, the first one with the text, so that every word is in a block.
  const auto first_word = [](const MarkWords& words, const std::vector<text::Token>& tokens) {
    if (tokens.empty()) return words.size();
    const std::uint32_t from = tokens.front().span.from;
    return static_cast<std::uint32_t>(
        std::ranges::partition_point(words.tokens, [&](const text::Token& word) { return word.span.to <= from; }) -
        words.tokens.begin());
  };
  MarkBlock block{.source = {0, source.size()}, .target = {0, target.size()}};
  for (std::size_t k = maps.size(); k-- > 0;) {
    block.source.from = k == 0 ? 0 : std::min(first_word(source, maps[k]->source), block.source.to);
    block.target.from = k == 0 ? 0 : std::min(first_word(target, maps[k]->target), block.target.to);
    blocks.push_back(block);
    block = {.source = {0, block.source.from}, .target = {0, block.target.from}};
  }
  std::ranges::reverse(blocks);
  for (std::size_t k = 0; k < blocks.size(); ++k) link_block(blocks[k], *maps[k]);
  // A kept span is known exactly.
  for (const KeptSpan& kept : result.best().kept)
    for (WordRange from = source.in (kept.source), to = target.in(kept.target); to.from < to.to; ++to.from)
      if (!from.empty()) source_of[to.from] = from.from;
  for (std::uint32_t t = 0; t < target.size(); ++t)
    if (source_of[t] != kNone) targets[source_of[t]].push_back(t);
}

void MarkLinks::link_block(const MarkBlock& block, const text::AttentionMatrix& map) {
  const std::uint32_t width = block.source.to - block.source.from, height = block.target.to - block.target.from;
  if (width == 0 || height == 0) return;
  if (!map.has_weights()) {
    for (std::uint32_t t = 0; t < height; ++t)
      source_of[block.target.from + t] =
          block.source.from + static_cast<std::uint32_t>(std::uint64_t{t} * width / height);
    return;
  }
  constexpr float kLeast = 0.1F;  // the weight with which a word is taken to be a translation of another
  const text::AttentionMatrix words = by_words(map, std::span(source.tokens).subspan(block.source.from, width),
                                               std::span(target.tokens).subspan(block.target.from, height));
  std::vector<float> most(width, kLeast);
  for (std::uint32_t t = 0; t < height; ++t) {
    // A word is linked to a word, and a symbol to a symbol, if the weights allow it: tokens may have both.
    std::uint32_t best = kNone, best_other = 0;
    for (std::uint32_t s = 0; s < width; ++s) {
      const float weight = words.at(t, s);
      const bool same_kind = source.is_symbol[block.source.from + s] == target.is_symbol[block.target.from + t];
      if (same_kind && (best == kNone || weight > words.at(t, best))) best = s;
      if (weight > words.at(t, best_other)) best_other = s;
      if (weight <= most[s]) continue;
      most[s] = weight;
      closest[block.source.from + s] = block.target.from + t;
    }
    if (best == kNone || words.at(t, best) < words.at(t, best_other)) best = best_other;
    const bool to_the_end = words.source_end && words.at(t, width) > words.at(t, best);
    if (words.at(t, best) > 0 && !to_the_end) source_of[block.target.from + t] = block.source.from + best;
  }
}

const MarkBlock& MarkLinks::block_of(std::uint32_t source_word) const {
  const auto behind =
      std::ranges::partition_point(blocks, [&](const MarkBlock& block) { return block.source.to <= source_word; });
  return behind == blocks.end() ? blocks.back() : *behind;
}

}  // namespace heed::translate
