// Updates the parameters from their gradients: SGD with momentum, Adam, AdamW. The state (moments, number of updates)
// is part of a checkpoint.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/parameters.h"
#include "base/thread_pool.h"

namespace heed::train {

enum class OptimizerKind : std::uint8_t { sgd, adam, adamw };
std::vector<std::string> enum_names(OptimizerKind);
std::vector<std::string> enum_about(OptimizerKind);

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::adam;
  double momentum = 0;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // adamw
  double clip = 0;          // maximum gradient norm; 0: no clipping
};

// Tensors with one row each, and their names in a checkpoint.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

class Optimizer {
 public:
  // The parameters must outlive the optimizer.
  Optimizer(const OptimizerConfig& config, const autograd::Parameters& parameters);

  // Makes one update. `norm`, the gradient norm, must be finite. The threads of the pool share the work.
  void apply(const autograd::Gradients& gradients, double norm, double rate, ThreadPool& pool);

  void set_updates(std::int64_t updates) { updates_ = updates; }
  NamedTensors state() const;  // the moments

 private:
  OptimizerConfig config_;
  const autograd::Parameters& parameters_;
  Arena memory_;
  Tensor first_, second_;  // momentum or first moment; second moment
  std::int64_t updates_ = 0;
};

}  // namespace heed::train
