// The attention weights of a translation with its source and target tokens, for plots, alignments and JSON. A plain
// value; no function throws.
#pragma once

#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

struct AttentionMatrix {
  std::vector<Token> source, target;
  // Whether the side's last token is the end symbol. Its span is empty and lies at the end of the text.
  bool source_end = false, target_end = false;
  // [T,S]: weights[t * source.size() + s]; empty if the model has no attention.
  std::vector<float> weights;

  bool has_weights() const { return !weights.empty(); }
  float at(std::size_t t, std::size_t s) const { return weights[t * source.size() + s]; }
};

// Converts a matrix over tokens to one over words, which the caller defines by white space or with a tokenizer. A
// source word gets the sum over its tokens (a token of several words is divided evenly), a target word the mean over
// its tokens, so that a row sums to the mean of its tokens' row sums. The end symbols are kept. A word without tokens
// gets zeros.
AttentionMatrix by_words(const AttentionMatrix& tokens, std::span<const Token> source_words,
                         std::span<const Token> target_words);

}  // namespace heed::text
