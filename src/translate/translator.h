// Translates text with one model or an ensemble, including their tokenizers and vocabularies. The command line,
// evaluation and validation all use it.
//
//   Translator translator("run/model.safetensors");
//   for (const LineResult& t : translator.translate(lines, {.threads = 2})) print(t.best().text);
//
// A translation depends bit for bit only on the line and the options, not on the other lines, their order, the batch or
// the threads. A Translator is used by one thread at a time; it starts its own workers.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "search/search.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "translate/scorer.h"
#include "translate/terms.h"
#include "translate/training_lines.h"
#include "translate/translate_options.h"

namespace heed::translate {

class Glossary;

// A line to translate, with its own options. Everything it refers to must live until the call returns.
struct TranslateRequest {
  std::string_view text;
  std::string_view prefix = {};                 // the translation must begin with it
  std::optional<std::string_view> target = {};  // the whole translation, which is then only scored
  std::span<const text::Span> kept = {};        // what stays as it is, in order, not blank; only a TextLayer reads it
  const TranslateOptions* options = nullptr;    // null: those of the call
  std::span<const Term> terms = {};             // in the order of the text, without overlaps; not with a target
  const Glossary* glossary = nullptr;           // for a TextLayer, which finds the terms; null: its own, if it has one
  // The line gets no translations once a stop is requested or the deadline has passed.
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Requests for lines, which must outlive them. `prefixes` is empty or has one prefix per line; otherwise a UsageError.
std::vector<TranslateRequest> requests_for(std::span<const std::string> lines,
                                           std::span<const std::string> prefixes = {});

class Translator {
 public:
  // InputError if a file is not a model, has no vocabularies, or has others than the first.
  explicit Translator(std::span<const std::string> paths);
  explicit Translator(const std::string& path) : Translator(std::span(&path, 1)) {}
  // For example a model that is being trained; both must outlive the translator.
  Translator(const model::Model& model, const TextPipeline& pipeline);
  ~Translator();

  const model::Model& model() const { return *models_.front(); }
  std::span<const model::Model* const> models() const { return models_; }
  const TextPipeline& pipeline() const { return *pipeline_; }
  bool has_attention() const;
  // Of the first model, if it came from a file that has them.
  const std::optional<TrainingLines>& training_lines() const { return training_lines_; }
  // The maximum length of a chunk in source tokens; location attention may lower it.
  std::size_t max_source_tokens(const TranslateOptions& options) const;

  // One result per request, in their order. A line without words has an empty translation. UsageError for contradictory
  // options and for the target of a line that is too long, InputError for a prefix with a word that the model does not
  // know.
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests, const TranslateOptions& options);
  // The same for lines: see requests_for().
  std::vector<LineResult> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                    std::span<const std::string> prefixes = {}) {
    return translate(requests_for(lines, prefixes), options);
  }

  // Scores translations with the first model: see score_pairs().
  std::vector<ScoredPair> score(std::span<const std::string> sources, std::span<const std::string> targets,
                                const ScoreOptions& options = {}) const;

 private:
  struct Job;

  std::vector<Job> make_jobs(const TranslateRequest& request, const TranslateOptions& options) const;
  void set_prefix(Job& job) const;
  void set_terms(std::span<Job> line);
  void run(std::span<Job* const> jobs, const TranslateOptions& options);
  void stop_repetition(std::span<Job* const> batch, std::span<const search::SearchJob> jobs,
                       std::span<search::SearchResult> found, search::Search& search) const;
  void run_batch(std::span<Job* const> batch, search::Search& search) const;
  // Workers for this many work items: only the calling thread for a single one.
  ThreadPool& pool(int threads, std::size_t items);
  // InputError if another program has written to a model file since it was opened. Called before results are returned.
  void check_files() const;

  std::vector<model::ModelFile> files_;  // if the models came from files
  std::unique_ptr<const TextPipeline> own_pipeline_;
  std::vector<const model::Model*> models_;
  const TextPipeline* pipeline_;
  std::optional<TrainingLines> training_lines_;
  std::optional<TermEncoder> term_encoder_;  // created when first needed
  ThreadPool this_thread_{1};
  std::optional<ThreadPool> pool_;
  std::vector<std::unique_ptr<search::Search>> searches_;  // one per worker, created when first needed
};

}  // namespace heed::translate
