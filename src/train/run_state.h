// The progress of a run: everything in a checkpoint except the tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "train/run_log.h"
#include "train/trainer.h"

namespace heed::train {

// A sum of losses over target tokens.
struct LossSum {
  double loss = 0, tokens = 0;
  void add(const UpdateReport& report) {
    loss += report.loss * static_cast<double>(report.target_tokens);
    tokens += static_cast<double>(report.target_tokens);
  }
  double mean() const { return tokens == 0 ? 0 : loss / tokens; }
};

// Parameters saved at a validation, to be averaged at the end.
struct Snapshot {
  std::int64_t update = 0;
  double value = 0;  // of validation.metric
};

// The results of the validations so far.
struct BestTracker {
  std::optional<double> value;  // of validation.metric, of the best model
  // The lowest so far, which decides between models while their scores are near zero. Absent from checkpoints of
  // earlier versions.
  std::optional<double> perplexity;
  std::int64_t update = 0;   // of the best model
  std::int64_t waiting = 0;  // validations since the last one that was the best or lowered the perplexity
  std::vector<Snapshot> snapshots;

  // Whether a model is better than all previous ones: by the metric, but while all scores are near zero, by perplexity,
  // which improves long before translations have words in common with their references. False if the value is not
  // finite.
  bool is_best(ValidationMetric metric, const Validation& validation) const;
  // Records the validation of an update; returns is_best().
  bool add(ValidationMetric metric, const Validation& validation, std::int64_t at_update);
  // Adds a snapshot. If there are more than config.average, drops the worst or the oldest.
  void keep_snapshot(const Snapshot& snapshot, ValidationMetric metric, const TrainingConfig& config);
  void limit_snapshots(ValidationMetric metric, const TrainingConfig& config);
};

// Each rollback divides the learning rate by three, so three rollbacks correct a rate that is up to 27 times too large.
// A larger rate is probably a mistake that the user should fix.
inline constexpr int kMaxRollbacks = 3;
inline constexpr double kRollbackFactor = 1.0 / 3;

struct RunState {
  Trainer::State trainer;
  Schedule::State schedule;
  bool checkpoint_due = true;  // save a scheduled checkpoint once the next update shows that the state is good
  std::int64_t rollbacks = 0;  // times the run diverged and returned to a checkpoint
  BestTracker best;
  LossSum since_line, since_validation;  // since the last line of each kind in metrics.jsonl
  std::int64_t target_tokens = 0;
  double seconds = 0;
  RunLog::Position log;
  bool normalized_references = false;  // see ValidationText; true, but absent, in checkpoints of heed 0.1
  std::string ended;                   // why the run is complete: "epochs", "updates" or "patience"; empty: it is not

  std::string to_json() const;
  // InputError with `where` if the text is not a state or a value is out of range. Safe for untrusted text.
  static RunState from_json(const std::string& text, const std::string& where);
};

}  // namespace heed::train
