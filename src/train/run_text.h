// The text of a run: read, tokenized and indexed, with what it takes to translate and to draw other subwords.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "data/prepare.h"
#include "train/config.h"
#include "train/trainer.h"
#include "train/validation.h"
#include "translate/pipeline.h"

namespace heed::train {

// UsageError or InputError for what can be known to be wrong before any text is read or directory made.
void check_before_reading(const RunConfig& config, const RunFiles& files);

class RunText {
 public:
  RunText() = default;
  // Reads everything; reports the pairs read so far. The ids of the training text go to a temporary file in a
  // directory, so that memory does not grow with the text but for an index. `workers` are those of all ranks: learned
  // subwords depend on them in their last digits.
  RunText(const RunConfig& config, const RunFiles& files, int workers, const std::string& scratch_directory,
          const std::function<void(std::int64_t pairs)>& on_progress);

  const translate::TextPipeline& pipeline() const { return pipeline_; }
  // Its vocabularies are the pipeline's.
  const data::Prepared& train() const { return train_; }
  const ValidationText& valid() const { return valid_; }
  model::VocabularyConfig vocabulary() const;

  // What a trainer learns from; refers to this object. With data.subword_sampling, an epoch's segmentations are a
  // function of the seed, the epoch and the pair's place alone.
  TrainingExamples training_examples() const;

  // Of the ids and words: the same text read in the same way.
  std::string train_checksum() const;
  std::string valid_checksum() const;

 private:
  data::ExampleStore draw_epoch(std::int64_t epoch) const;
  void read_training(const RunConfig& config, const RunFiles& files, int workers, data::PrepareOptions options);
  void read_validation(const RunFiles& files, data::PrepareOptions options);

  translate::TextPipeline pipeline_{text::TextConfig{}};
  data::Prepared train_;
  ValidationText valid_;
  std::unique_ptr<ThreadPool> pool_;
  std::vector<std::string> sources_, targets_;  // the training text, if subwords are drawn from it
  std::uint64_t seed_ = 0;
};

}  // namespace heed::train
