// A training run from files to a run directory:
//   config.toml        complete, can be given to `heed train` again
//   model.safetensors  the best model so far, by perplexity on the validation text (the last one where there is none)
//   metrics.jsonl      one JSON object an epoch
#pragma once

#include <string>

#include "data/prepare.h"
#include "train/config.h"
#include "train/trainer.h"

namespace heed {

struct RunFiles {
  CorpusFiles train;
  CorpusFiles valid;  // may name nothing
  std::string out;
};

// Told what happens, in this order. Called from the thread that runs.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_reading(std::int64_t pairs) = 0;
  virtual void on_start(const Prepared& data, std::size_t valid_pairs, const Model& model) = 0;
  virtual void on_update(const UpdateReport& report) = 0;
  // After each epoch; `seconds` of the run so far. Without validation text, `validation` is null.
  virtual void on_epoch(std::int64_t epoch, const Validation* validation, bool best, double loss, double seconds) = 0;
};

// UsageError for settings that do not go together, InputError for files that cannot be read or written.
void train_run(RunConfig config, const RunFiles& files, RunObserver& observer);

}  // namespace heed
