// A training run, from files to a run directory (run_directory.h): reads the text, trains, validates and keeps the best
// model. A run can be interrupted and resumed at any time; the final model is byte-identical either way, as long as the
// configuration, the text and the number of workers (threads of all ranks) are the same.
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
};

// Receives the events of a run on rank 0, in the order of the functions, on the thread that called train_run().
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Something about the run directory that the user should know: one sentence.
  virtual void on_note(const std::string& /*sentence*/) {}
  virtual void on_reading(std::int64_t pairs) = 0;
  virtual void on_start(const RunSummary& summary) = 0;
  virtual void on_update(const UpdateReport& report) = 0;
  virtual void on_validation(const ValidationReport& report) = 0;
  virtual void on_divergence(const Divergence& divergence) = 0;
  // Called after each update: whether to save a checkpoint and return.
  virtual bool wants_stop() { return false; }
};

enum class Start {
  fresh,      // UsageError if the directory already contains a run, or files that a run would replace
  resume,     // resumes the run in the directory; if there is none, as fresh
  overwrite,  // removes the run in the directory and starts a new one
};

struct RunResult {
  enum class End { done, was_done, stopped };  // was_done: complete before it was resumed
  End end = End::done;
  std::string reason;  // RunState::ended; for was_done: the limit to raise in order to continue
  std::int64_t update = 0;
  std::optional<double> best;  // of validation.metric
};

// A lost or damaged model.safetensors of a resumed run is restored if a checkpoint contains it. UsageError if settings
// contradict each other or differ from those of the run to be resumed; InputError if a file cannot be read or written
// or the run diverged too often. With several ranks, each calls this with the same arguments; all read the text, but
// only rank 0 uses the directory, validates and reports.
RunResult train_run(RunConfig config, const RunFiles& files, Start start, RunObserver& observer,
                    Communicator& communicator = single_process());

}  // namespace heed::train
