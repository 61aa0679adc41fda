// From text to examples. A corpus is read and tokenized once: words get provisional ids as they are met, and when all
// are counted the ids are exchanged for those of the vocabulary. So standard input works too, and nothing of the text
// is kept but the distinct words.
#pragma once

#include <functional>
#include <string>

#include "base/thread_pool.h"
#include "data/corpus.h"
#include "data/examples.h"
#include "data/guides.h"
#include "text/encode.h"
#include "text/normalize.h"

namespace heed::data {

struct PrepareOptions {
  PairSelection selection = {};
  std::string scratch_directory = {};  // for the ids, in a temporary file; empty: they stay in memory
  // The steps of each side's tokenizer: a selection by prefixes looks at normalized text.
  text::Normalizer source_normalizer = {}, target_normalizer = {};
  GuideFile guides = {};       // word links of each pair; without a path: none
  ThreadPool* pool = nullptr;  // tokenizes on these workers; the result does not depend on how many there are
  // Called now and then with the pairs and bytes read so far.
  std::function<void(std::int64_t pairs, std::int64_t bytes)> on_progress = {};
  // Called with every pair that becomes an example, in their order.
  std::function<void(const SentencePair& pair)> on_kept = {};
};

struct Prepared {
  text::Vocabulary source, target;  // the same if they are shared
  ExampleStore examples;
  GuideStore guides;  // of each example; empty if there was no file
  SelectionTally tally;
  BadUtf8 bad_source, bad_target;
};

// Vocabularies from the text (or, for a tokenizer with a closed set, from that), and the examples in their ids. Whether
// one vocabulary serves both sides decides `shared`; then source_words holds for it. InputError if the selection
// leaves nothing, and as PairReader and Vocabulary have them. Each vocabulary must have an end symbol: else a
// UsageError.
Prepared prepare_corpus(const CorpusFiles& files, const text::Tokenizer& source, const text::Tokenizer& target,
                        const text::VocabularyOptions& source_words, const text::VocabularyOptions& target_words,
                        bool shared, const PrepareOptions& options = {});

// The same with vocabularies that are there already: validation text, a run that goes on. Prepared's vocabularies
// stay empty.
Prepared encode_corpus(const CorpusFiles& files, const text::LineEncoder& source, const text::LineEncoder& target,
                       const PrepareOptions& options = {});

}  // namespace heed::data
