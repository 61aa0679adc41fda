// A run's whole configuration: the model's, the text's, the data's, the training's and the validation's keys, in one
// registry; and the files that a run reads.
#pragma once

#include <string>
#include <vector>

#include "data/batches.h"
#include "data/corpus.h"
#include "model/config.h"
#include "text/text_config.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/validation.h"

namespace heed::train {

struct DataConfig {
  int min_frequency = 1;
  int max_words = 0;  // of a vocabulary; 0: all
  bool shared_vocabulary = false;
  int max_length = 0;  // words per side; 0: any
  int pairs = 0;       // only the first ones; 0: all
  std::vector<std::string> source_prefixes, target_prefixes;
};

enum class LossReduction : std::uint8_t { sum, mean };  // over a sentence's words, then the mean of sentences; of words
std::vector<std::string> enum_names(LossReduction);
enum class TeacherForcingUnit : std::uint8_t { step, sentence };  // what one coin decides
std::vector<std::string> enum_names(TeacherForcingUnit);
enum class AverageOf : std::uint8_t { best, last };  // which validations' parameters are averaged
std::vector<std::string> enum_names(AverageOf);

struct TrainingConfig {
  OptimizerConfig optimizer;
  double learning_rate = 0.001;
  ScheduleConfig schedule;
  double label_smoothing = 0;
  double guided_weight = 0.5;  // of the attention's loss, if alignments are given
  bool guided_pretokenized = false, guided_shift = false;
  int batch = 64;
  data::BatchUnit batch_unit = data::BatchUnit::sentences;
  int accumulate = 1;  // batches per update
  int epochs = 10;
  int updates = 0;  // 0: as many as the epochs have
  double teacher_forcing = 1, teacher_forcing_to = 1;
  int teacher_forcing_updates = 0;  // that the change takes; 0: none
  TeacherForcingUnit teacher_forcing_unit = TeacherForcingUnit::step;
  LossReduction loss = LossReduction::mean;
  double ema = 0;   // decay of the parameters' moving average; 0: none
  int average = 0;  // validations whose parameters are averaged in the end; 0: none
  AverageOf average_of = AverageOf::best;
  int checkpoint_updates = 0;  // 0: only when the run validates
  int threads = 0;             // 0: as many as the machine has cores
  std::int64_t seed = 1;

  int thread_count() const;
  // The chance at an update, counted from 0.
  double teacher_forcing_at(std::int64_t update) const;
};

struct ValidationConfig {
  int updates = 0;  // between two validations; 0: one per epoch
  ValidationMetric metric = ValidationMetric::perplexity;
  int patience = 0;  // validations without a better one before the run stops; 0: any number
  int sentences = 500;
  int samples = 5;
};

struct RunConfig {
  model::ModelConfig model;
  text::TextConfig text;
  DataConfig data;
  TrainingConfig training;
  ValidationConfig validation;
};

void declare(Options& options, RunConfig& config);

// Where the text is: keys of a run's config.toml too, so that the file alone repeats the run.
struct RunFiles {
  std::string train_source, train_target, train_tsv, tsv_columns = "1,2", valid_source, valid_target, valid_tsv;
  std::string guided_alignment;  // word links of the training pairs; empty: none
  std::string out = "run";

  data::CorpusFiles train() const;
  data::CorpusFiles valid() const;
  bool has_valid() const { return !(valid_source.empty() && valid_target.empty() && valid_tsv.empty()); }
};

void declare(Options& options, RunFiles& files);

// The complete configuration, as it can be given to `heed train` again; comments name what differs from the preset.
std::string run_config_to_toml(const RunConfig& config, const RunFiles& files);

}  // namespace heed::train
