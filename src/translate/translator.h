// Text in, text out: one model, or several that decode as one, with their tokenisers and vocabularies. What the command
// line, evaluation and validation all use.
//
//   Translator translator("run/model.safetensors");
//   for (const LineResult& t : translator.translate(lines, {.threads = 2})) print(t.best().text);
//
// A line's translation depends on the line and the options alone, not on the other lines, their order, the batch or the
// threads, bit for bit. A Translator is used by one thread at a time; it starts its own workers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "search/search.h"
#include "translate/line_result.h"
#include "translate/pipeline.h"
#include "translate/scorer.h"

namespace heed {

struct TranslateOptions {
  SearchOptions search = {.beam = 5};
  int batch = 64;               // sentences computed together, at most
  int threads = 1;              // 0: as many as the machine has cores
  int max_source_length = 500;  // tokens; a longer line is translated in chunks
  // A translation has at most length_ratio * source tokens + length_extra words, the end symbol included.
  double length_ratio = 2;
  int length_extra = 10;
  UnknownWords unknown = {};
  // Called now and then with the source tokens done so far, of all that there are, from any thread but never from two
  // at once. Where it returns false, the rest is left: lines not reached have no translations.
  std::function<bool(std::size_t done, std::size_t all)> on_progress = {};
};

class Translator {
 public:
  // InputError where a file is no model, has no vocabularies to read text with, or has others than the first.
  explicit Translator(std::span<const std::string> paths);
  explicit Translator(const std::string& path) : Translator(std::span(&path, 1)) {}
  // A model that is being trained, say; both must outlive the translator.
  Translator(const Model& model, const TextPipeline& pipeline);
  ~Translator();

  const Model& model() const { return *models_.front(); }
  std::span<const Model* const> models() const { return models_; }
  const TextPipeline& pipeline() const { return *pipeline_; }
  bool has_attention() const;
  // The most source tokens that are translated at once under these options; location attention may set a lower bound.
  std::size_t max_source_tokens(const TranslateOptions& options) const;

  // One result a line, in the lines' order. A line without a word gives an empty translation. `prefixes`, where there
  // are any, say how each line's translation must begin. UsageError for options that contradict each other, InputError
  // for a prefix with a word that the model does not know.
  std::vector<LineResult> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                    std::span<const std::string> prefixes = {});

  // What the first model thinks of given translations: see score_pairs().
  std::vector<ScoredPair> score(std::span<const std::string> sources, std::span<const std::string> targets,
                                const ScoreOptions& options = {}) const;

 private:
  struct Job;

  std::vector<Job> make_jobs(const std::string& line, std::size_t limit) const;
  std::vector<Id> encode(std::span<const Token> tokens) const;
  void run(std::span<Job> jobs, const TranslateOptions& options);
  // InputError where another program has written into a model's file since it was opened: asked before anything is
  // given out that was made with it.
  void check_files() const;
  void run_batch(std::span<Job* const> batch, Search& search, const TranslateOptions& options) const;

  std::vector<ModelFile> files_;  // where the models came from files
  std::unique_ptr<const TextPipeline> own_pipeline_;
  std::vector<const Model*> models_;
  const TextPipeline* pipeline_;
  std::optional<ThreadPool> pool_;
  std::vector<std::unique_ptr<Search>> searches_;  // one a worker, made when first needed
};

}  // namespace heed
