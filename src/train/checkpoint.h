// Checkpoints: everything a run needs to go on exactly, as one safetensors file. Tensors: the parameters, the
// optimiser's moments, the moving average, one long row each. Metadata: the run's configuration (heed.config), what it
// was trained on (heed.identity) and where it stands (heed.state), the latter two as JSON. Written whole or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/safetensors.h"
#include "train/run_log.h"
#include "train/trainer.h"

namespace heed {

// Losses added up over target tokens.
struct LossSum {
  double loss = 0, tokens = 0;
  void add(const UpdateReport& report) {
    loss += report.loss * static_cast<double>(report.target_tokens);
    tokens += static_cast<double>(report.target_tokens);
  }
  double mean() const { return tokens == 0 ? 0 : loss / tokens; }
};

// Parameters kept at a validation, to be averaged.
struct Snapshot {
  std::int64_t update = 0;
  double value = 0;  // of validation.metric
};

// Where a run stands, but for the trainer's numbers.
struct RunState {
  Trainer::State trainer;
  Schedule::State schedule;
  bool checkpoint_due = true;  // a scheduled one, as soon as the state is known to be good
  std::int64_t rollbacks = 0;  // times the run went astray and back
  std::optional<double> best;  // of validation.metric
  std::int64_t best_update = 0;
  std::int64_t waiting = 0;  // validations since the best
  std::vector<Snapshot> snapshots;
  LossSum since_line, since_validation;  // since the last line of each kind in metrics.jsonl
  std::int64_t target_tokens = 0;
  double seconds = 0;
  RunLog::Position log;
  std::string ended;  // why the run is over; empty: it is not
};

// What must be the same for a run to go on to the same bits.
struct RunIdentity {
  std::string config;  // complete, as TOML
  int threads = 0;
  std::string train, valid;  // checksums of the examples and vocabularies
};

class Checkpoint {
 public:
  // InputError where the file is damaged or no checkpoint.
  explicit Checkpoint(const std::string& path);

  const RunState& state() const { return state_; }
  const RunIdentity& identity() const { return identity_; }
  // Copies the numbers out. InputError where they do not fit.
  void fill(const std::vector<std::pair<std::string, Tensor>>& tensors) const;

 private:
  Safetensors file_;
  RunState state_;
  RunIdentity identity_;
};

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const std::vector<std::pair<std::string, Tensor>>& tensors);

// UsageError where a run of `now` cannot go on from a checkpoint of `then`: the key that differs, both values and the
// way out. How long a run lasts and where its files are may change.
void check_same_config(const std::string& then, const std::string& now, const std::string& directory);
// The same for what the configuration does not say: threads and text.
void check_same_run(const RunIdentity& then, const RunIdentity& now, const std::string& directory);

}  // namespace heed
