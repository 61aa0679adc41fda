// Text in, text out: one model, or several that decode as one, with their tokenizers and vocabularies. What the command
// line, evaluation and validation all use.
//
//   Translator translator("run/model.safetensors");
//   for (const LineResult& t : translator.translate(lines, {.threads = 2})) print(t.best().text);
//
// A line's translation depends on the line and the options alone, not on the other lines, their order, the batch or the
// threads, bit for bit. A Translator is used by one thread at a time; it starts its own workers.
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
#include "translate/translate_options.h"

namespace heed::translate {

// A line to be translated, with options of its own. What is referred to must stay until the call returns.
struct TranslateRequest {
  std::string_view text;
  std::string_view prefix = {};                 // how the translation must begin
  std::optional<std::string_view> target = {};  // the whole translation, which is only scored then
  const TranslateOptions* options = nullptr;    // null: those of the call
  // The line is left, without translations, once a stop is requested or the deadline has passed.
  std::stop_token stop = {};
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

class Translator {
 public:
  // InputError if a file is not a model, has no vocabularies to read text with, or has others than the first.
  explicit Translator(std::span<const std::string> paths);
  explicit Translator(const std::string& path) : Translator(std::span(&path, 1)) {}
  // A model that is being trained, say; both must outlive the translator.
  Translator(const model::Model& model, const TextPipeline& pipeline);
  ~Translator();

  const model::Model& model() const { return *models_.front(); }
  std::span<const model::Model* const> models() const { return models_; }
  const TextPipeline& pipeline() const { return *pipeline_; }
  bool has_attention() const;
  // The most source tokens that are translated at once under these options; location attention may set a lower bound.
  std::size_t max_source_tokens(const TranslateOptions& options) const;

  // One result per request, in their order; `options` also say how the call is run. A line without a word gives an
  // empty translation. UsageError for options that contradict each other and for a target of a line that is too long,
  // InputError for a prefix with a word that the model does not know.
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests, const TranslateOptions& options);
  // The same of lines. `prefixes`, if there are any, say how each line's translation must begin.
  std::vector<LineResult> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                    std::span<const std::string> prefixes = {});

  // What the first model thinks of given translations: see score_pairs().
  std::vector<ScoredPair> score(std::span<const std::string> sources, std::span<const std::string> targets,
                                const ScoreOptions& options = {}) const;

 private:
  struct Job;

  std::vector<Job> make_jobs(const TranslateRequest& request, const TranslateOptions& options) const;
  void set_prefix(Job& job) const;
  void run(std::span<Job* const> jobs, const TranslateOptions& options);
  void run_batch(std::span<Job* const> batch, search::Search& search) const;
  // Workers for so many items of work: none but this thread for a single one.
  ThreadPool& pool(int threads, std::size_t items);
  // InputError if another program has written into a model's file since it was opened: checked before any result
  // computed from the file is returned.
  void check_files() const;

  std::vector<model::ModelFile> files_;  // if the models came from files
  std::unique_ptr<const TextPipeline> own_pipeline_;
  std::vector<const model::Model*> models_;
  const TextPipeline* pipeline_;
  ThreadPool this_thread_{1};
  std::optional<ThreadPool> pool_;
  std::vector<std::unique_ptr<search::Search>> searches_;  // one per worker, made when first needed
};

}  // namespace heed::translate
