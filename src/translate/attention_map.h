// What a translation attended to, with the text it belongs to: what pictures, alignments and JSON are made from.
#pragma once

#include <string>
#include <vector>

#include "text/tokeniser.h"

namespace heed {

struct AttentionMap {
  // The end symbol is the last of each where the model has one; its span is empty, at the end of the text.
  std::vector<Token> source, target;
  // weights[t * source.size() + s]; empty where the model has no attention.
  std::vector<float> weights;

  float at(std::size_t t, std::size_t s) const { return weights[t * source.size() + s]; }
};

// The same by words of the text where the model reads and writes subwords: pieces of one word (no space between their
// spans) become one token. A word of the source gets the sum over its pieces, a word of the target the mean over its
// pieces, so that rows still sum to what they did.
AttentionMap by_words(const AttentionMap& map, std::string_view source_text, std::string_view target_text);

}  // namespace heed
