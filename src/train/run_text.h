// The text of a run: reads and tokenizes the corpora, builds the vocabularies, and makes the examples of each epoch.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/prepare.h"
#include "train/config.h"
#include "train/parent_model.h"
#include "train/trainer.h"
#include "train/validation.h"
#include "translate/pipeline.h"
#include "translate/training_lines.h"

namespace heed::train {

// UsageError or InputError for problems that can be found before any text is read or directory created. `is_new`: false
// for a run to be resumed, which may have settings that only earlier versions accepted.
void check_before_reading(const RunConfig& config, const RunFiles& files, bool is_new);

// The pairs that were not trained on because of data.holdout and data.filters.
struct PairChoice {
  std::int64_t held_out = 0;  // for validation
  std::int64_t removed = 0;   // because their source is held out
  std::int64_t too_few = 0;   // the number of pairs, if there were too few to hold some out
  std::array<std::int64_t, survey::kProblems> filtered = {};  // by problem
};

model::VocabularyConfig vocabulary_config(const data::Prepared& data);

class RunText {
 public:
  RunText() = default;
  // Reads everything; calls on_progress() with the number of pairs read so far. The token ids of the training text are
  // stored in a temporary file in the scratch directory, so that only an index in memory grows with the text; if
  // `scratch_directory` is empty, all are in memory. `workers` is the total of all ranks, because the rounding of
  // learned subword scores depends on it. If there is a parent, its subwords and vocabularies are used.
  // `normalize_references`: see ValidationText::normalized.
  RunText(const RunConfig& config, const RunFiles& files, const ParentModel* parent, int workers,
          const std::string& scratch_directory, const std::function<void(std::int64_t pairs)>& on_progress,
          bool normalize_references = false);

  const translate::TextPipeline& pipeline() const { return pipeline_; }
  // Its vocabularies are the pipeline's.
  const data::Prepared& train() const { return train_; }
  const ValidationText& valid() const { return valid_; }
  const PairChoice& choice() const { return choice_; }

  // The result refers to this object. With data.subword_sampling, data.augment or data.unknown_rate, the examples of an
  // epoch depend only on the seed, the epoch and the index of the pair.
  TrainingExamples training_examples() const;

  // Word frequencies of the training text, including the parent's; empty if the parent's are unknown.
  const std::optional<translate::Frequencies>& frequencies() const { return frequencies_; }
  const translate::TrainingLines& lines() const { return lines_; }
  // One sentence per kind of problem that the text has and no filter removes. Not checked if the text comes from
  // standard input or has over a million pairs. Reads the text again, unless it was filtered.
  std::vector<std::string> data_warnings(const RunConfig& config, const RunFiles& files) const;
  // For a run with a parent: one sentence if its vocabularies lack tokens of the text; otherwise empty.
  std::string unknown_words_warning() const;

  // Equal if the same text was read with the same settings.
  std::string train_checksum() const;
  std::string valid_checksum() const;

 private:
  data::ExampleStore sample_epoch(std::int64_t epoch) const;
  std::pair<std::vector<Id>, std::vector<Id>> sample_pair(std::size_t pair, std::span<const std::uint64_t> keys) const;
  void choose_pairs(const RunConfig& config, const RunFiles& files, const data::CorpusFiles& corpus,
                    const data::PrepareOptions& options);
  void read_training(const RunConfig& config, const RunFiles& files, const data::CorpusFiles& corpus,
                     const ParentModel* parent, int workers, data::PrepareOptions options);
  void read_validation(const data::CorpusFiles& corpus, data::PrepareOptions options, bool normalize_references);

  translate::TextPipeline pipeline_{text::TextConfig{}};
  data::Prepared train_;
  ValidationText valid_;
  data::PairParts parts_;  // which pairs are trained on and which are held out; empty: all are trained on
  PairChoice choice_;
  std::optional<survey::Survey> survey_;  // of filtered text, without its flags
  std::unique_ptr<ThreadPool> pool_;
  translate::Frequencies counts_;  // of the training text
  std::optional<translate::Frequencies> frequencies_;
  translate::TrainingLines lines_;
  std::vector<std::string> sources_, targets_;  // the training text, if it is tokenized again for each epoch
  data::AugmentOptions augment_;
  double unknown_rate_ = 0;  // 0 for tokenizers without words
  std::uint64_t seed_ = 0;
  data::Languages languages_;      // of the configuration, otherwise of the parent
  std::string scratch_directory_;  // empty: the token ids are in memory
};

}  // namespace heed::train
