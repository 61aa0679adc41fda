// How fast text becomes examples: read, tokenised, counted, indexed. For benchmarks.
#pragma once

#include "data/corpus.h"
#include "text/tokeniser.h"

namespace heed {

struct IndexingSpeed {
  std::int64_t pairs = 0, bytes = 0, tokens = 0;
  double seconds = 0;

  double megabytes_per_minute() const { return seconds > 0 ? static_cast<double>(bytes) / 1e6 / seconds * 60 : 0; }
};

// Prepares the corpus on this thread alone, in memory, and checks that nothing was lost on the way: InternalError where
// the examples do not hold the tokens that tokenising the text again gives.
IndexingSpeed measure_indexing(const data::CorpusFiles& files, const text::Tokeniser& source,
                               const text::Tokeniser& target);

}  // namespace heed
