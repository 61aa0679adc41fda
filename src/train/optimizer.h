// Turns gradients into updates of the parameters. Its state (moments, count of updates) is part of a checkpoint.
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

struct OptimizerConfig {
  OptimizerKind kind = OptimizerKind::adam;
  double momentum = 0;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0;  // adamw
  double clip = 0;          // the gradient's norm is kept at or below this; 0: as it is
};

class Optimizer {
 public:
  // The parameters must outlive it.
  Optimizer(const OptimizerConfig& config, const autograd::Parameters& parameters);

  // One update; the threads of the pool share it, each number is written by one. Returns the gradient's norm before
  // clipping. A norm that is not finite leaves everything as it was.
  double update(const autograd::Gradients& gradients, double rate, ThreadPool& pool);
  // The same if the norm is known, and finite.
  void apply(const autograd::Gradients& gradients, double norm, double rate, ThreadPool& pool);

  std::int64_t updates() const { return updates_; }
  void set_updates(std::int64_t updates) { updates_ = updates; }
  // The moments, one long row each, by the name they have in a checkpoint.
  std::vector<std::pair<std::string, Tensor>> state() const;

 private:
  OptimizerConfig config_;
  const autograd::Parameters& parameters_;
  Arena memory_;
  Tensor first_, second_;  // momentum or first moment; second moment
  std::int64_t updates_ = 0;
};

}  // namespace heed::train
