// From text to examples. A corpus is read and tokenized once: words get provisional ids, which are replaced by those of
// the vocabulary once all words are counted. So standard input works too, and only the distinct words are kept in
// memory.
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
  // As in each side's tokenizer, because prefixes are selected in normalized text.
  text::Normalizer source_normalizer = {}, target_normalizer = {};
  GuideFile guides = {};       // word links of each pair; no path: none
  bool placeholders = false;   // mask protected spans: text/placeholders.h
  ThreadPool* pool = nullptr;  // for tokenization; the result does not depend on the number of workers
  // Called regularly with the number of pairs and bytes read so far.
  std::function<void(std::int64_t pairs, std::int64_t bytes)> on_progress = {};
  // Called for every pair that becomes an example, in order.
  std::function<void(const SentencePair& pair)> on_kept = {};
};

struct Prepared {
  text::Vocabulary source, target;  // the same if they are shared
  ExampleStore examples;
  // From prepare_corpus(): how often each id occurs in the examples, ignoring weights.
  std::vector<std::int64_t> source_counts = {}, target_counts = {};
  std::vector<float> weights;  // of each example; empty if all are 1
  GuideStore guides;           // of each example; empty without a file
  bool limited = false;        // the corpus has more pairs than PairSelection::pairs
  SelectionTally tally;
  BadUtf8 bad_source, bad_target;
  Languages languages;             // PairReader::languages()
  std::vector<std::string> notes;  // PairReader::notes()
};

// Builds the vocabularies from the text (or from the tokenizer's closed vocabulary, if it has one and there is no
// vocabulary to extend) and the examples in their ids. A word counts as often as the weights of its pairs say, rounded,
// but at least once. `shared`: one vocabulary for both sides, made by source_words. InputError if the selection leaves
// nothing, and as PairReader and Vocabulary. UsageError for a vocabulary without an end symbol.
Prepared prepare_corpus(const CorpusFiles& files, const text::Tokenizer& source, const text::Tokenizer& target,
                        const text::VocabularyOptions& source_words, const text::VocabularyOptions& target_words,
                        bool shared, const PrepareOptions& options = {});

// The same with existing vocabularies, for validation text and resumed runs. Prepared's vocabularies stay empty.
Prepared encode_corpus(const CorpusFiles& files, const text::LineEncoder& source, const text::LineEncoder& target,
                       const PrepareOptions& options = {});

}  // namespace heed::data
