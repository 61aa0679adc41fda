// A run's directory:
//   config.toml        complete, can be given to `heed train` again
//   model.safetensors  the best model so far
//   metrics.jsonl      what was measured, one JSON object per line
//   samples.jsonl      a few sentences translated at each validation, with their attention
//   checkpoint/        what it takes to go on:
//     good.safetensors     the state at the last scheduled moment (every training.checkpoint_updates, each validation):
//                          what a run that diverged goes back to
//     latest.safetensors   a later state, if the run was stopped or some minutes had passed
//     snapshot-N.safetensors  parameters to be averaged in the end
// Which of the two states a run goes on from makes no difference to its end. One process at a time.
#pragma once

#include <optional>
#include <string>

#include "base/system.h"
#include "train/checkpoint.h"

namespace heed::train {

class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}

  std::string file(const std::string& name) const;
  std::string snapshot(std::int64_t update) const;
  // Whether there is a run in it already.
  bool is_taken() const;
  // Makes the directories and keeps other processes out. InputError if they cannot be made or another run is here.
  void open();
  // Removes what an earlier run left.
  void clear() const;

  // What a run goes on from, and what it goes back to; nothing if there is no checkpoint.
  std::optional<Checkpoint> newest() const;
  std::optional<Checkpoint> good() const;

  enum class Moment { scheduled, other };
  void save(Moment moment, const RunState& state, const RunIdentity& identity,
            const std::vector<std::pair<std::string, Tensor>>& tensors) const;

 private:
  void remove_old_snapshots(const RunState& state) const;

  std::string path_;
  Descriptor lock_{-1};
};

}  // namespace heed::train
