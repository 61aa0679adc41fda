// Checkpoints: everything a run needs to resume bit by bit, in one safetensors file. Tensors: the parameters, the
// optimizer's moments and the moving average, one row each. Metadata: the configuration (heed.config, TOML), the
// identity of the run (heed.identity, JSON) and its progress (heed.state, JSON). Written atomically.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/safetensors.h"
#include "train/run_state.h"

namespace heed::train {

// Everything that must stay the same for a resumed run to compute the same bits.
struct RunIdentity {
  std::string config;        // complete, as TOML
  int workers = 0;           // threads of all ranks, which determine the order of summation
  int text_workers = 0;      // workers when the run was started, which determine the rounding of subword scores
  int ranks = 0;             // with GradientFormat::bf16, whose sums depend on the number of ranks; otherwise 0
  std::string train, valid;  // checksums of the examples and vocabularies
  std::string from;          // checksum of the model that the run started from; empty: a new model
  std::string cpu;           // the instruction set, as HEED_CPU names it; empty in checkpoints of heed 0.1: unknown
};

// The message of an error without its last clause, the advice, which does not fit the files of a run.
std::string what_is_wrong(const InputError& error);

class Checkpoint {
 public:
  // InputError if the file is damaged or not a checkpoint.
  explicit Checkpoint(const std::string& path);

  const RunState& state() const { return state_; }
  const RunIdentity& identity() const { return identity_; }
  // Fills the tensors with the stored values. InputError if a tensor is missing or has another shape.
  void fill(const NamedTensors& tensors) const;

 private:
  Safetensors file_;
  RunState state_;
  RunIdentity identity_;
};

void write_checkpoint(const std::string& path, const RunState& state, const RunIdentity& identity,
                      const NamedTensors& tensors);

// UsageError if a run started with the configuration `before` (TOML) cannot be resumed with `now`; the message names
// the key that differs, both values and what to do. The length of the run and the paths of its files may differ.
void check_same_config(const std::string& before, RunConfig now, const std::string& directory);
// UsageError if the kernels of this process round differently from those that the run was started with.
void check_same_cpu(const RunIdentity& before, const std::string& directory);
// UsageError if the number of workers differs, or that of ranks if it matters. `ranks`: the ranks now, for the advice.
void check_same_workers(const RunIdentity& before, const RunIdentity& now, const std::string& directory, int ranks);
// UsageError if the model that the run started from differs, InputError if the text does.
void check_same_run(const RunIdentity& before, const RunIdentity& now, const std::string& directory);

// A snapshot: the parameters alone. Written atomically. InputError if the file cannot be written.
void save_parameters(const std::string& path, const autograd::Parameters& parameters);
// Sets `parameters` to the mean over such files. InputError if one is missing, damaged or has other shapes.
void average_parameters(const autograd::Parameters& parameters, const std::vector<std::string>& files);

}  // namespace heed::train
