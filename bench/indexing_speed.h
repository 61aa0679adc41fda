// How fast text becomes examples: read, tokenized, counted, indexed. For benchmarks.
#pragma once

#include "data/corpus.h"
#include "text/tokenizer.h"

namespace heed {

struct IndexingSpeed {
  std::int64_t pairs = 0, bytes = 0, tokens = 0;
  double seconds = 0;

  double megabytes_per_minute() const { return seconds > 0 ? static_cast<double>(bytes) / 1e6 / seconds * 60 : 0; }
};

// Prepares the corpus on this thread alone, in memory, and checks that nothing was lost on the way: InternalError where
// the examples do not hold the tokens that tokenizing the text again gives.
IndexingSpeed measure_indexing(const data::CorpusFiles& files, const text::Tokenizer& source,
                               const text::Tokenizer& target);

}  // namespace heed
