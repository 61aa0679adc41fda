// A training run from files to a run directory (run_directory.h): reads the text, trains, validates, keeps the best
// model. It can be interrupted and resumed at any time; the final model is byte-identical either way, as long as the
// configuration, the text and the number of workers (threads of all ranks) are the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/prepare.h"
#include "train/config.h"
#include "train/run_log.h"
#include "train/trainer.h"

namespace heed::train {

// What is known before the first update.
struct RunSummary {
  const data::Prepared& data;
  std::size_t valid_pairs;
  const model::Model& model;
  CostEstimate cost;
  std::vector<std::string> data_warnings;  // what looks wrong in the text; not looked for again if a run is resumed
  std::int64_t update;                     // 0, or where a resumed run goes on
  std::int64_t updates;                    // of the whole run, as far as that is known
};

// Is told what happens, in this order, on rank 0. Called from the thread that runs.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void on_reading(std::int64_t pairs) = 0;
  virtual void on_start(const RunSummary& summary) = 0;
  virtual void on_update(const UpdateReport& report) = 0;
  virtual void on_validation(const ValidationReport& report) = 0;
  virtual void on_divergence(const Divergence& divergence) = 0;
  // Asked after each update: whether to save everything and return.
  virtual bool wants_stop() { return false; }
};

enum class Start {
  fresh,      // UsageError if the directory holds a run already
  resume,     // goes on where that run was; begins if there is none
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
// cannot be read or written and for a run that diverged too often. With several ranks, each calls this with the same
// arguments; all read the text, and rank 0 alone has the directory, validates and reports.
RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer,
                    Communicator& communicator = single_process());

}  // namespace heed::train
