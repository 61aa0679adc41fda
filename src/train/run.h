// A training run from files to a run directory (run_directory.h): reads the text, trains, validates, keeps the best
// model, and can be stopped at any moment and gone on with. A run that was stopped, killed or not ends with the same
// model, byte for byte, as long as the configuration, the text and the number of threads are the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/prepare.h"
#include "train/config.h"
#include "train/run_log.h"
#include "train/trainer.h"

namespace heed {

// What is known before the first update.
struct Preflight {
  const Prepared& data;
  std::size_t valid_pairs;
  const Model& model;
  Rehearsal rehearsal;
  std::vector<std::string> oddities;  // what looks odd in the text; not looked for again when a run goes on
  std::int64_t update;                // 0, or where a resumed run goes on
  std::int64_t updates;               // of the whole run, as far as that is known
};

// Told what happens, in this order. Called from the thread that runs.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_reading(std::int64_t pairs) = 0;
  virtual void on_start(const Preflight& preflight) = 0;
  virtual void on_update(const UpdateReport& report) = 0;
  virtual void on_validation(const ValidationReport& report) = 0;
  virtual void on_divergence(const Divergence& divergence) = 0;
  // Asked after each update: whether to save everything and return.
  virtual bool wants_stop() { return false; }
};

enum class Start {
  fresh,      // UsageError where the directory holds a run already
  resume,     // goes on where that run was; begins where there is none
  overwrite,  // begins again, whatever is there
};

struct RunResult {
  enum class End { done, was_done, stopped };
  End end = End::done;
  std::string reason;  // why it is done: "epochs", "updates" or "patience"
  std::int64_t update = 0;
  std::optional<double> best;  // of validation.metric
};

// UsageError for settings that do not go together and for a run that cannot go on with them, InputError for files that
// cannot be read or written and for a run that went astray too often.
RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer);

}  // namespace heed
