// Pre-trained word vectors in the text form of word2vec, GloVe and fastText: a word and its numbers on each line; a
// first line of two whole numbers (how many, how wide) may stand before them. A word may hold spaces (GloVe's 840B file
// has such): the last `width` fields are the numbers.
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
  std::int64_t matched_lower = 0;  // of these, by their lower-case form only
  std::int64_t words = 0;          // words of the vocabulary that could have got one (special symbols left out)
  std::int64_t width = 0;
};

using NextLine = std::function<bool(std::string& line)>;
using OnVector = std::function<void(TokenId id, std::span<const float> vector)>;

// Reads line after line (nothing but the lines that match is kept) and hands each vocabulary word its vector once: the
// first line for a word counts; if a word is not in the file but its lower-case form is, it gets that one. Vectors
// of another width than `width`, numbers that are none or not finite are InputErrors with `name` and the line.
EmbeddingReport read_embeddings(const NextLine& next, std::string_view name, std::int64_t width,
                                const Vocabulary& vocabulary, const OnVector& on_vector);

}  // namespace heed::text
