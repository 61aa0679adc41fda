// Where a run stands, but for the trainer's numbers: what a checkpoint holds beside the tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "train/run_log.h"
#include "train/trainer.h"

namespace heed::train {

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

// What the validations found so far.
struct BestTracker {
  std::optional<double> value;  // the best one, of validation.metric
  std::int64_t update = 0;      // after which it was found
  std::int64_t waiting = 0;     // validations since then
  std::vector<Snapshot> snapshots;

  // Whether the value is better than all before; one that is not finite never is.
  bool is_best(ValidationMetric metric, double candidate) const;
  // Takes note of a validation; returns is_best().
  bool add(ValidationMetric metric, const Snapshot& validation);
  // Keeps config.average snapshots, the best or the last ones.
  void keep_snapshot(const Snapshot& snapshot, ValidationMetric metric, const TrainingConfig& config);
};

struct RunState {
  Trainer::State trainer;
  Schedule::State schedule;
  bool checkpoint_due = true;  // a scheduled one, as soon as the state is known to be good
  std::int64_t rollbacks = 0;  // times the run diverged and went back
  BestTracker best;
  LossSum since_line, since_validation;  // since the last line of each kind in metrics.jsonl
  std::int64_t target_tokens = 0;
  double seconds = 0;
  RunLog::Position log;
  std::string ended;  // why the run is over; empty: it is not

  std::string to_json() const;
  // InputError with `where` if the text is not a state.
  static RunState from_json(const std::string& text, const std::string& where);
};

}  // namespace heed::train
