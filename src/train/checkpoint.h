// Checkpoints: everything a run needs to go on exactly, as one safetensors file. Tensors: the parameters, the
// optimizer's moments, the moving average, one long row each. Metadata: the run's configuration (heed.config), what it
// was trained on (heed.identity) and where it stands (heed.state), the latter two as JSON. Written whole or not at all.
#pragma once

#include <string>
#include <vector>

#include "base/safetensors.h"
#include "train/run_state.h"

namespace heed::train {

// What must be the same for a run to go on to the same bits.
struct RunIdentity {
  std::string config;        // complete, as TOML
  int workers = 0;           // threads of all ranks: how the sums are ordered
  std::string train, valid;  // checksums of the examples and vocabularies
};

class Checkpoint {
 public:
  // InputError if the file is damaged or not a checkpoint.
  explicit Checkpoint(const std::string& path);

  const RunState& state() const { return state_; }
  const RunIdentity& identity() const { return identity_; }
  // Copies the numbers out. InputError if they do not fit.
  void fill(const std::vector<std::pair<std::string, Tensor>>& tensors) const;

 private:
  Safetensors file_;
  RunState state_;
  RunIdentity identity_;
};

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const std::vector<std::pair<std::string, Tensor>>& tensors);

// UsageError if a run of `now` cannot go on from a checkpoint of `then`: the key that differs, both values and the
// way out. How long a run lasts and where its files are may change.
void check_same_config(const std::string& then, RunConfig now, const std::string& directory);
// The same for what the configuration does not say: workers and text.
void check_same_run(const RunIdentity& then, const RunIdentity& now, const std::string& directory);

}  // namespace heed::train
