// Tokens and words as spans of a text: which words a span overlaps, where tokens end, and shifting spans. Words are in
// the order of the text and do not overlap; spans count characters.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

inline void shift(Span& span, std::uint32_t by) {
  span = {span.from + by, span.to + by};
}
inline void shift(std::span<Token> tokens, std::uint32_t by) {
  for (Token& token : tokens) shift(token.span, by);
}

// Whether the spans have a character in common.
inline bool overlap(const Span& a, const Span& b) {
  return a.from < b.to && b.from < a.to;
}

inline std::u32string_view part_of(std::u32string_view text, const Span& span) {
  return text.substr(span.from, span.to - span.from);
}

// The end of the last token; 0 if there are no tokens.
inline std::uint32_t end_of(std::span<const Token> tokens) {
  return tokens.empty() ? 0 : tokens.back().span.to;
}

// The words that have a character in the span, as a part of `words`; if there are none, an empty part that starts at
// the first word after the span.
std::span<const Token> words_in(std::span<const Token> words, const Span& span);

// The words from the first to the last of a run of tokens.
inline std::span<const Token> words_in(std::span<const Token> words, std::span<const Token> tokens) {
  return tokens.empty() ? words.first(0) : words_in(words, Span{tokens.front().span.from, tokens.back().span.to});
}

// For each token the indices of the words that it overlaps: tokens may be subwords, or cover several words. A token
// that overlaps none (a lone space of a subword model) belongs to the previous word, or to the first.
std::vector<std::vector<std::size_t>> words_of_tokens(std::span<const Token> tokens, std::span<const Token> words);

}  // namespace heed::text
