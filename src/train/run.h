// A training run: reads the text, trains, validates, and keeps the best model in a run directory (run_directory.h). A
// run can be interrupted and resumed at any time; the final model is byte-identical either way, as long as the
// configuration, the text and the number of workers (threads of all ranks) stay the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/prepare.h"
#include "train/config.h"
#include "train/run_log.h"
#include "train/run_text.h"
#include "train/trainer.h"

namespace heed::train {

// Reported before the first update.
struct RunSummary {
  const RunConfig& config;
  const data::Prepared& data;
  const PairChoice& choice;
  std::size_t valid_pairs;
  const model::Model& model;
  CostEstimate cost;
  std::vector<std::string> data_warnings;  // empty if the run is resumed
  std::int64_t update;                     // the last one done; above 0 in a resumed run
  std::int64_t updates;                    // of the whole run: see Trainer::updates()
  bool has_parent;                         // the run starts from a model
  int ranks, threads;                      // processes, and threads of each
};

// Receives the events of a run on rank 0, on the thread that called train_run(). The base class ignores them.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // One sentence that the user should know, for example about a damaged file.
  virtual void on_note(const std::string& /*sentence*/) {}
  virtual void on_reading(std::int64_t /*pairs*/) {}
  virtual void on_start(const RunSummary& /*summary*/) {}
  virtual void on_update(const UpdateReport& /*report*/) {}
  virtual void on_validation(const ValidationReport& /*report*/) {}
  virtual void on_divergence(const Divergence& /*divergence*/) {}
  // Called after each update; if it returns true, the run saves a checkpoint and stops.
  virtual bool wants_stop() { return false; }
};

enum class Start {
  fresh,                      // UsageError if the directory already contains a run, or files that a run would replace
  resume,                     // resumes the run in the directory; if there is none, like fresh
  overwrite,                  // removes the run in the directory and starts a new one
  resume_with_other_workers,  // like resume, but allows another number of workers, whose sums round differently
};
inline bool resumes(Start start) {
  return start == Start::resume || start == Start::resume_with_other_workers;
}

struct RunResult {
  enum class End { done, was_done, stopped };  // was_done: it was complete already
  End end = End::done;
  std::string reason;  // RunState::ended; for was_done: the limit to raise in order to continue
  std::int64_t update = 0;
  std::optional<double> best;  // of validation.metric
};

// Trains a model. If model.safetensors of a resumed run is missing or damaged, it is restored if a checkpoint or
// snapshots contain the model. UsageError if settings contradict each other or differ from those of the run to be
// resumed; InputError if a file cannot be read or written or the run diverged too often. With several ranks, each calls
// this with the same arguments; InputError that names the rank if its settings, instruction set or text differ from
// those of rank 0. All ranks read the text and validate, but only rank 0 uses the directory and the observer.
RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer,
                    Communicator& communicator = single_process());

}  // namespace heed::train
