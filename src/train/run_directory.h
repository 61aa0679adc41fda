// A run directory:
//   config.toml        the complete configuration; `heed train` accepts it
//   model.safetensors  the best model so far
//   metrics.jsonl      losses and validation scores, one JSON object per line
//   samples.jsonl      a few sentences translated at each validation, with their attention
//   checkpoint/        everything needed to resume:
//     good.safetensors     the last scheduled checkpoint (every training.checkpoint_updates, each validation), to which
//                          a diverged run returns
//     latest.safetensors   a later checkpoint, if the run was stopped or ten minutes had passed
//     snapshot-N.safetensors  parameters to be averaged at the end
// The final model is the same whichever of the two checkpoints a run resumes from. One process at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/system.h"
#include "train/checkpoint.h"

namespace heed::train {

class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string file(const std::string& name) const;
  std::string snapshot(std::int64_t update) const;
  // The files that only training writes.
  std::vector<std::string> files() const;
  bool contains_run() const;
  // Creates the directories and locks them. InputError if they cannot be created or another process has the lock.
  void open();
  // Removes the files of an earlier run.
  void clear() const;

  // The checkpoints to resume from and to return to after a divergence; empty if there is none.
  std::optional<Checkpoint> newest() const;
  std::optional<Checkpoint> good() const;

  enum class Kind { scheduled, unscheduled };  // good.safetensors, latest.safetensors
  void save(Kind kind, const RunState& state, const RunIdentity& identity, const NamedTensors& tensors) const;

 private:
  void remove_old_snapshots(const RunState& state) const;

  std::string path_;
  Descriptor lock_{-1};
};

}  // namespace heed::train
