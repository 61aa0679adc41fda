// A run directory:
//   config.toml        the complete configuration; `heed train` accepts it
//   model.safetensors  the best model so far
//   metrics.jsonl      losses and validation scores, one JSON object per line
//   samples.jsonl      a few sentences translated at each validation, with their attention
//   events.out.tfevents.heed  the numbers of metrics.jsonl for TensorBoard, if training.tensorboard is on
//   checkpoint/        everything needed to resume:
//     good.safetensors     the last scheduled checkpoint (every training.checkpoint_updates, each validation), to which
//                          a diverged run returns
//     latest.safetensors   a later checkpoint, if the run was stopped or ten minutes had passed
//     snapshot-N.safetensors  parameters to be averaged at the end
// The final model is the same whichever of the two checkpoints a run resumes from. Only one process may train in a run
// directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/system.h"
#include "train/checkpoint.h"

namespace heed::train {

class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string file(const std::string& name) const;
  std::string snapshot(std::int64_t update) const;
  // Whether a run writes a file of this name, which is relative to its directory.
  static bool is_run_file(std::string_view name);
  // The files that only training writes.
  std::vector<std::string> files() const;
  // Those and config.toml: no other command may replace them.
  std::vector<std::string> kept_files() const;
  bool has_checkpoint() const;
  // A file that a new run would replace, although it belongs to no run with a checkpoint: a model, a log, a
  // configuration, a report. Files left by a run that ended before its first checkpoint do not count. Empty if there
  // is none.
  std::string find_foreign_file() const;
  // Creates and locks the directory. InputError if it cannot be created or another process holds the lock.
  void open();
  // Whether a process is training here.
  bool is_locked() const;
  // Removes the files of an earlier run.
  void clear() const;

  // The checkpoint to resume from, if any. If one of the two is damaged, or the scheduled one is missing, the other
  // one is used, and `note` says so. InputError if none is intact.
  struct Newest {
    std::optional<Checkpoint> checkpoint;
    std::string note;
    bool good_lost = false;  // the scheduled one is damaged or missing
  };
  Newest newest() const;
  // Makes latest.safetensors the scheduled checkpoint, to replace one that was lost.
  void replace_good() const;
  // The checkpoint to return to after a divergence; empty if there is none.
  std::optional<Checkpoint> good() const;

  enum class Kind { scheduled, unscheduled };  // good.safetensors, latest.safetensors
  void save(Kind kind, const RunState& state, const RunIdentity& identity, const NamedTensors& tensors) const;

 private:
  void remove_old_snapshots(const RunState& state) const;

  std::string path_;
  Descriptor lock_{-1};
};

}  // namespace heed::train
