// The complete configuration of a run (model, text, data, training, validation) and the files that it reads, with the
// keys and flags of each setting.
#pragma once

#include <string>
#include <vector>

#include "data/augment.h"
#include "data/batches.h"
#include "data/corpus.h"
#include "model/config.h"
#include "survey/survey.h"
#include "text/text_config.h"
#include "train/exchange.h"
#include "train/optimizer.h"
#include "train/schedule.h"
#include "train/validation.h"

namespace heed::train {

struct DataConfig {
  int min_frequency = 1;
  int max_words = 0;          // per vocabulary; 0: no limit
  int extend_vocabulary = 0;  // new words per vocabulary, if the run starts from a model
  bool shared_vocabulary = false;
  int max_length = 0;  // tokens per side; 0: no limit
  int pairs = 0;       // use only the first N; 0: all
  std::vector<std::string> source_prefixes, target_prefixes;
  std::vector<survey::Filter> filters;
  std::vector<data::Noise> augment;  // kinds of changes to the training text: data/augment.h
  double augment_rate = 0.3;         // fraction of the pairs that are changed
  double unknown_rate = 0;           // fraction of the pairs whose rarest words are replaced by <unk>
  bool holdout = false;              // hold out validation text from the training text; false if some is given
};

// With fewer pairs, none are held out: 5% of them would be too few to validate on.
inline constexpr std::int64_t kMinHoldoutPairs = 200;
// validation.patience: kHoldoutPatience if the run holds out its validation text, otherwise no limit.
inline constexpr int kAutomaticPatience = -1;
inline constexpr int kHoldoutPatience = 5;

// sum: summed over the tokens of each sentence, averaged over sentences; mean: averaged over all tokens.
enum class LossReduction : std::uint8_t { sum, mean };
std::vector<std::string> enum_names(LossReduction);
enum class TeacherForcingUnit : std::uint8_t { step, sentence };  // how often forcing is decided
std::vector<std::string> enum_names(TeacherForcingUnit);
enum class AverageOf : std::uint8_t { best, last };  // the validations whose parameters are averaged
std::vector<std::string> enum_names(AverageOf);

struct TrainingConfig {
  OptimizerConfig optimizer;
  double learning_rate = 0.001;
  ScheduleConfig schedule;
  double label_smoothing = 0;
  double guided_weight = 0.5;  // of the attention loss, with RunFiles::guided_alignment
  bool guided_pretokenized = false, guided_shift = false;
  int batch = 64;
  data::BatchUnit batch_unit = data::BatchUnit::sentences;
  int accumulate = 1;  // batches per update
  GradientFormat gradient_exchange = GradientFormat::f32;
  int epochs = 10;
  int updates = 0;  // 0: train for `epochs`
  double teacher_forcing = 1, teacher_forcing_to = 1;
  int teacher_forcing_updates = 0;  // updates over which the probability changes; 0: it is constant
  TeacherForcingUnit teacher_forcing_unit = TeacherForcingUnit::step;
  LossReduction loss = LossReduction::mean;
  double ema = 0;   // decay of the moving average of the parameters; 0: off
  int average = 0;  // number of validations whose parameters are averaged at the end; 0: off
  AverageOf average_of = AverageOf::best;
  int checkpoint_updates = 0;  // updates between checkpoints; 0: only at validations and every ten minutes
  int threads = 0;             // 0: one per core
  std::int64_t seed = 1;
  bool tensorboard = false;
  bool shortlist = true;  // learn the model's shortlist: train/shortlist.h

  // The probability of teacher forcing at an update, counted from 0.
  double teacher_forcing_at(std::int64_t update) const;
};

struct ValidationConfig {
  int updates = 0;  // between two validations; 0: once per epoch
  ValidationMetric metric = ValidationMetric::perplexity;
  int patience = kAutomaticPatience;  // validations without improvement before the run stops; 0: no limit
  int sentences = 500;
  int samples = 5;
};

struct RunConfig {
  model::ModelConfig model;
  text::TextConfig text;
  DataConfig data;
  TrainingConfig training;
  ValidationConfig validation;

  data::Languages languages() const { return {text.source_language, text.target_language}; }
};

void declare(Options& options, RunConfig& config);

// The input files. They are also keys of the run's config.toml, so that this file alone repeats the run. Relative paths
// are relative to the working directory.
struct RunFiles {
  std::vector<std::string> train_files, valid_files;  // of any format, see data::CorpusFlags
  std::vector<std::string> train_source, train_target, train_tsv, valid_source, valid_target, valid_tsv;
  std::string columns;  // of tables and JSON Lines; empty: found by their names, or else the first two
  Encoding encoding = Encoding::detect;
  std::string guided_alignment;  // word links of the training pairs; may be empty
  std::string from;              // the model to start from, or its run directory; empty: a new model
  std::string out = "run";
  std::string directory;  // the directory that relative paths in config.toml refer to; empty: the working directory

  // May open files, because their names need not reveal their format. UsageError and InputError as data::list_corpus().
  data::CorpusFiles train(const data::Languages& languages) const;
  data::CorpusFiles valid(const data::Languages& languages) const;
  bool has_train() const;
  bool has_valid() const;
};

void declare(Options& options, RunFiles& files);

// The complete configuration as a file for `heed train`; comments show the values that differ from the preset. Its key
// run.directory is the directory that relative paths refer to, relative to the file: so the file works in any working
// directory, and can be moved together with the text.
std::string run_config_to_toml(const RunConfig& config, const RunFiles& files);

// Applies the text of a configuration file in `file_directory`, perhaps written by run_config_to_toml(), to `options`,
// in which `files` and a RunConfig are declared. A path that does not exist below run.directory is left as it is. With
// `old`, keys that no longer exist are ignored. UsageError or InputError, with `where`, for a bad key or value.
void apply_run_config(Options& options, RunFiles& files, std::string_view text, const std::string& where,
                      const std::string& file_directory, bool old = false);
// Whether run_config_to_toml() wrote this text, for a run in the directory `out`.
bool is_own_config(std::string_view text, const std::string& out);

// Whether a setting is a list of files with training or validation text.
bool is_text_file_key(std::string_view key);

// UsageError if a path is not UTF-8, as config.toml must be.
void check_paths(const RunFiles& files);

}  // namespace heed::train
