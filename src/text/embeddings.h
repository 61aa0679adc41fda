// Pre-trained word vectors in the text format of word2vec, GloVe and fastText: a word and its numbers on each line,
// optionally after a header line with the number of vectors and their width. A word may contain spaces (as in GloVe's
// 840B file): the last `width` fields are the numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "text/vocabulary.h"

namespace heed::text {

struct EmbeddingReport {
  std::int64_t vectors = 0;        // in the file
  std::int64_t matched = 0;        // words of the vocabulary that got a vector
  std::int64_t matched_lower = 0;  // those of them that only the lower-case form matched
  std::int64_t words = 0;          // words of the vocabulary, not counting special symbols
  std::int64_t width = 0;
};

using NextLine = std::function<bool(std::string& line)>;
using OnVector = std::function<void(TokenId id, std::span<const float> vector)>;

// Reads line by line (keeping only lines that match) and calls `on_vector` at most once per vocabulary word: with the
// first line of the word, or of its lower-case form if the word is not in the file. Vectors of another width and fields
// that are not finite numbers are InputErrors with `name` and the line.
EmbeddingReport read_embeddings(const NextLine& next, std::string_view name, std::int64_t width,
                                const Vocabulary& vocabulary, const OnVector& on_vector);

}  // namespace heed::text
