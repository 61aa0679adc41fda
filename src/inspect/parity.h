// Parity with PyTorch. A golden file is a safetensors file with a model's parameters and the numbers that PyTorch
// computes from them. heed computes the same, one sentence at a time and as one batch, and reports the largest
// differences.
#pragma once

#include <string>
#include <vector>

#include "base/safetensors.h"
#include "model/config.h"
#include "model/names.h"

namespace heed::inspect {

struct ParityRow {
  std::string quantity;                               // "log-probabilities", …
  std::string mode;                                   // "one by one" or "one batch"
  double error = 0;                                   // the largest
  double tolerance = 0;                               // 0 for greedy words, which must be equal
  std::string where;                                  // position of the largest error
  bool passed() const { return error <= tolerance; }  // false for NaN
};

struct ParityReport {
  std::string file, system;
  std::size_t sentences = 0, parameters = 0;
  std::vector<ParityRow> rows;
  bool passed() const;
};

// InputError if the file is not a golden file, or its tensors do not match its preset.
ParityReport check_parity(const std::string& path);

// Whether this is the other kind of golden file, with the losses of consecutive training updates, which only tests use.
bool is_trajectory(const std::string& path);

// The configuration that a golden file's metadata describes, and the names of its tensors.
model::ModelConfig golden_config(const Safetensors& file);
model::TensorNames golden_names(const Safetensors& file);

}  // namespace heed::inspect
