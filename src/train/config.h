// A run's whole configuration: the model's, the text's, the data's and the training's keys, in one registry.
#pragma once

#include <string>
#include <vector>

#include "model/config.h"
#include "train/optimiser.h"
#include "translate/text_config.h"

namespace heed {

struct DataConfig {
  int min_frequency = 1;
  int max_words = 0;  // of a vocabulary; 0: all
  bool shared_vocabulary = false;
  int max_length = 0;  // words a side; 0: any
  int pairs = 0;       // the first so many; 0: all
  std::vector<std::string> source_prefixes, target_prefixes;
};

struct TrainingConfig {
  OptimiserConfig optimiser;
  double learning_rate = 0.001;
  double decay_start = 1, decay_to = 1;
  double label_smoothing = 0;
  int batch = 64;
  std::string batch_unit = "sentences";
  int epochs = 10;
  int updates = 0;  // 0: as many as the epochs have
  double teacher_forcing = 1;
  std::string teacher_forcing_unit = "step";
  std::string loss = "mean";
  int threads = 0;  // 0: as many as the machine has cores
  std::int64_t seed = 1;

  int thread_count() const;
};

struct RunConfig {
  ModelConfig model;
  TextConfig text;
  DataConfig data;
  TrainingConfig training;
};

void declare(Options& options, RunConfig& config);

}  // namespace heed
