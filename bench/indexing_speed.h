// The speed of preparing a corpus: reading, tokenizing, counting and indexing. For benchmarks.
#pragma once

#include "data/corpus.h"
#include "text/tokenizer.h"

namespace heed {

struct IndexingSpeed {
  std::int64_t pairs = 0, bytes = 0, tokens = 0;
  double seconds = 0;

  double megabytes_per_minute() const { return seconds > 0 ? static_cast<double>(bytes) / 1e6 / seconds * 60 : 0; }
};

// Prepares the corpus in memory, on this thread alone. InternalError if the examples do not hold the tokens that
// tokenizing the text again returns.
IndexingSpeed measure_indexing(const data::CorpusFiles& files, const text::Tokenizer& source,
                               const text::Tokenizer& target);

}  // namespace heed
