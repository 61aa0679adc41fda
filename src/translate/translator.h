// Translates text with a model or an ensemble, including their tokenizers and vocabularies. The command line,
// evaluation and validation all use it.
//
//   Translator translator("run/model.safetensors");
//   for (const LineResult& t : translator.translate(lines, {.threads = 2})) print(t.best().text);
//
// A translation depends bit for bit only on the line and the options, not on the other lines, their order, the batch or
// the threads. A Translator is used by one thread at a time; it starts its own workers.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "search/search.h"
#include "translate/scorer.h"
#include "translate/sentence_translator.h"

namespace heed::translate {

// One request per line; lines and prefixes must outlive them. UsageError unless `prefixes` is empty or has one per
// line.
std::vector<TranslateRequest> requests_for(std::span<const std::string> lines,
                                           std::span<const std::string> prefixes = {});

struct TranslateJob;

class Translator final : public SentenceTranslator {
 public:
  // Several files form an ensemble. InputError if one is not a model, has no vocabularies, or has other vocabularies or
  // tokenizers than the first.
  explicit Translator(std::span<const std::string> paths, model::ModelMemory memory = model::ModelMemory::mapped);
  explicit Translator(const std::string& path, model::ModelMemory memory = model::ModelMemory::mapped)
      : Translator(std::span(&path, 1), memory) {}
  // For a model in memory, such as one that is being trained; both must outlive the translator.
  Translator(const model::Model& model, const TextPipeline& pipeline);
  ~Translator() override;

  const model::Model& model() const { return *models_.front(); }
  std::span<const model::Model* const> models() const { return models_; }
  const TextPipeline& pipeline() const override { return *pipeline_; }
  bool has_attention() const override;
  // Whether all models have a shortlist, so that SearchOptions::shortlist has an effect.
  bool has_shortlist() const;
  const std::optional<TrainingLines>& training_lines() const override { return training_lines_; }
  // The maximum length of a chunk in source tokens; location attention may lower it.
  std::size_t max_source_tokens(const TranslateOptions& options) const;

  std::vector<LineResult> translate(std::span<const TranslateRequest> requests,
                                    const TranslateOptions& options) override;
  // The same for lines with optional prefixes: see requests_for().
  std::vector<LineResult> translate(std::span<const std::string> lines, const TranslateOptions& options,
                                    std::span<const std::string> prefixes = {}) {
    return translate(requests_for(lines, prefixes), options);
  }

  // InputError if another program has written to a model file since it was opened. Called before results are returned.
  void check_files() const;

  // Scores translations with the first model: see score_pairs().
  std::vector<ScoredPair> score(std::span<const std::string> sources, std::span<const std::string> targets,
                                const ScoreOptions& options = {}) const;

 private:
  void run(std::span<TranslateJob* const> jobs, const TranslateOptions& options);
  void run_batch(std::span<TranslateJob* const> batch, search::Search& search) const;
  // A pool for this many work items: only the calling thread if there is one item or one thread.
  ThreadPool& pool(int threads, std::size_t items);

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
