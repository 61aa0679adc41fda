// A run's directory:
//   config.toml        complete, can be given to `heed train` again
//   model.safetensors  the best model so far
//   metrics.jsonl      what was measured, a JSON object a line
//   samples.jsonl      a few sentences translated at each validation, with their attention
//   checkpoint/        what it takes to go on:
//     good.safetensors     the state at the last scheduled moment (every training.checkpoint_updates, each validation):
//                          where a run that went astray goes back to
//     latest.safetensors   a later state, where the run was stopped or some minutes had passed
//     snapshot-N.safetensors  parameters to be averaged in the end
// Which of the two states a run goes on from makes no difference to its end. One process at a time.
#pragma once

#include <optional>
#include <string>

#include "train/checkpoint.h"

namespace heed {

class RunDirectory {
 public:
  explicit RunDirectory(std::string path) : path_(std::move(path)) {}
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  ~RunDirectory();

  std::string file(const std::string& name) const;
  std::string snapshot(std::int64_t update) const;
  // Whether there is a run in it already.
  bool is_taken() const;
  // Makes the directories and keeps other processes out. InputError where they cannot be made or another run is here.
  void open();
  // Removes what an earlier run left.
  void clear() const;

  // What a run goes on from, and what it goes back to; nothing where there is no checkpoint.
  std::optional<Checkpoint> newest() const;
  std::optional<Checkpoint> good() const;

  enum class Moment { scheduled, other };
  void save(Moment moment, const RunState& state, const RunIdentity& identity,
            const std::vector<std::pair<std::string, Tensor>>& tensors) const;

 private:
  void remove_old_snapshots(const RunState& state) const;

  std::string path_;
  int lock_ = -1;
};

}  // namespace heed
