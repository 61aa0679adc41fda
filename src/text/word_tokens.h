// Which words the tokens of a model are parts of, where the two are not the same: subwords, or text that one cuts at
// white space and the other does not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "text/tokeniser.h"

namespace heed {

// For each token the words it is a part of, by their spans; words are in the order of the text and do not overlap. A
// token that overlaps none (a lone space of a subword model) goes with the word before it, or with the first.
std::vector<std::vector<std::size_t>> words_of_tokens(std::span<const Token> tokens, std::span<const Token> words);

// The words that a run of tokens stands for, the first to the last of them.
std::span<const Token> covered_words(std::span<const Token> words, std::span<const Token> tokens);

}  // namespace heed
