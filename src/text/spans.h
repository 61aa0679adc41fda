// Tokens and words as spans of a text: which of them overlap, where they end, and all of them moved. Words are in the
// order of the text and do not overlap; spans count characters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

inline void shift(Span& span, std::uint32_t by) {
  span = {span.from + by, span.to + by};
}
inline void shift(std::span<Token> tokens, std::uint32_t by) {
  for (Token& token : tokens) shift(token.span, by);
}

// Where the last of the tokens ends; 0 without any.
inline std::uint32_t end_of(std::span<const Token> tokens) {
  return tokens.empty() ? 0 : tokens.back().span.to;
}

// The words that have a character in the span: a run of all of them, at its place if it is empty.
std::span<const Token> words_in(std::span<const Token> words, const Span& span);

// The words that a run of tokens stands for, from the first to the last.
inline std::span<const Token> words_in(std::span<const Token> words, std::span<const Token> tokens) {
  return tokens.empty() ? words.first(0) : words_in(words, Span{tokens.front().span.from, tokens.back().span.to});
}

// For each token the words it is a part of, if the two are not the same: subwords, or text that one cuts at white space
// and the other does not. A token that overlaps none (a lone space of a subword model) goes with the word before it, or
// with the first.
std::vector<std::vector<std::size_t>> words_of_tokens(std::span<const Token> tokens, std::span<const Token> words);

}  // namespace heed::text
