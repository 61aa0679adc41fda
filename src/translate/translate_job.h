// A line, or a chunk of a line, on its way through a search: from text to ids, and from hypotheses to a LineResult.
// Functions without state, thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "search/search_job.h"
#include "translate/sentence_translator.h"
#include "translate/terms.h"
#include "translate/unknown_names.h"

namespace heed::translate {

struct TranslateJob {
  const TranslateRequest* request = nullptr;
  const TranslateOptions* options = nullptr;
  std::string text = {};
  std::vector<text::Token> tokens = {};  // spans in `text`
  std::vector<Id> source = {}, prefix = {};
  TermConstraints terms = {};
  std::span<const std::uint8_t> joins = {};  // SearchJob::joins, if there are terms
  bool can_replace = false;                  // terms may replace what the model wrote: it has attention
  std::vector<UnknownName> names = {};       // names that may be copied
  bool has_words = true;                     // false: the translation is empty, without a search
  Chunk chunk = {};                          // the whole line if it was not split
  int searches = 0, forbidden = 0;           // repeated searches; the n-gram size that they must not repeat, 0: none

  void set_tokens(std::vector<text::Token> all, const text::Vocabulary& vocabulary);
  // The search for this job; it refers to this object.
  search::SearchJob search_job() const;
  // Whether the translation lacks a term, has one that the model considers very improbable, or repeats itself
  // endlessly, and another search may help; then search_job() is that search.
  bool needs_another_search(const search::SearchResult& found);
  void set_result(search::SearchResult found, const TextPipeline& pipeline);
};

// The jobs of a request: one, or one per chunk if the line is longer than `limit` tokens. Without prefix and terms.
std::vector<TranslateJob> make_jobs(const TextPipeline& pipeline, const TranslateRequest& request,
                                    const TranslateOptions& options, std::size_t limit);
// Sets what the translation of a line must begin with, in its first job. UsageError for the target of a line that was
// split at `limit`, InputError for a prefix with a word that the model does not know.
void set_prefix(std::span<TranslateJob> line, const TextPipeline& pipeline, std::size_t limit);

// Sets the terms of a line, each in the chunk in which it begins. The encoder must outlive the jobs. `has_attention`:
// whether a model has attention.
void set_terms(std::span<TranslateJob> line, const TermEncoder& encoder, bool has_attention);

// The result of a request, from the results of its jobs.
LineResult join_jobs(std::vector<TranslateJob> jobs);

// The maximum length of a chunk in source tokens; location attention may lower it.
std::size_t max_source_tokens(std::span<const model::Model* const> models, const TranslateOptions& options);

}  // namespace heed::translate
