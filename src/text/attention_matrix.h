// What a translation attended to, with the text it belongs to: what pictures, alignments and JSON are made from.
// Plain values; the functions throw nothing.
#pragma once

#include <span>
#include <vector>

#include "text/tokenizer.h"

namespace heed::text {

struct AttentionMatrix {
  std::vector<Token> source, target;
  // Whether the last token of the side is the end symbol; its span is then empty, at the end of the text.
  bool source_end = false, target_end = false;
  // weights[t * source.size() + s]; empty if the model has no attention.
  std::vector<float> weights;

  bool has_weights() const { return !weights.empty(); }
  float at(std::size_t t, std::size_t s) const { return weights[t * source.size() + s]; }
};

// The same map by words, whichever the caller calls so: white space parts them, or a tokenizer does. A word of the
// source gets the sum over its tokens (a token of several words is shared evenly), a word of the target the mean over
// its tokens: a row sums to what its tokens' rows did. The end symbols stay as they are. A word that no token stands
// for gets zeros.
AttentionMatrix by_words(const AttentionMatrix& map, std::span<const Token> source_words,
                         std::span<const Token> target_words);

}  // namespace heed::text
