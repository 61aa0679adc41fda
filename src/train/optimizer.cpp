#include "train/optimizer.h"

#include <algorithm>

#include "base/enum_names.h"
#include "kernels/optimizer.h"
#include "kernels/profile.h"

namespace heed::train {
namespace {

// In the order of OptimizerKind.
struct OptimizerRow {
  const char* name;
  bool adaptive;  // bias-corrected first and second moments (Kingma and Ba 2015); otherwise momentum
  bool decays;    // decoupled weight decay (Loshchilov and Hutter 2019)
  const char* about;
};
constexpr OptimizerRow kOptimizers[] = {
    {"sgd", false, false, "stochastic gradient descent, with training.momentum"},
    {"adam", true, false, "Adam (Kingma and Ba 2015)"},
    {"adamw", true, true, "Adam with decoupled weight decay (Loshchilov and Hutter 2019)"}};

const OptimizerRow& row_of(OptimizerKind kind) {
  return kOptimizers[static_cast<std::size_t>(kind)];
}

}  // namespace

std::vector<std::string> enum_names(OptimizerKind) {
  return row_names(kOptimizers);
}

std::vector<std::string> enum_about(OptimizerKind) {
  return row_lines(kOptimizers);
}

Optimizer::Optimizer(const OptimizerConfig& config, const autograd::Parameters& parameters)
    : config_(config), parameters_(parameters) {
  const Tensor flat = parameters.flat();
  const bool adaptive = row_of(config.kind).adaptive;
  if (adaptive || config.momentum != 0) first_ = memory_.zeros(flat.type(), 1, flat.columns());
  if (adaptive) second_ = memory_.zeros(flat.type(), 1, flat.columns());
}

void Optimizer::apply(const autograd::Gradients& gradients, double norm, double rate, ThreadPool& pool) {
  // As in PyTorch's clip_grad_norm_, including the 1e-6.
  const double scale = config_.clip > 0 ? std::min(1.0, config_.clip / (norm + 1e-6)) : 1.0;
  const OptimizerRow& row = row_of(config_.kind);
  ++updates_;
  const Tensor p = parameters_.flat(), g = gradients.flat();
  pool.run(pool.size(), [&](int worker) {
    kernels::ProfileTimer timer;
    const Index from = p.columns() * worker / pool.size(), to = p.columns() * (worker + 1) / pool.size();
    const auto part = [&](const Tensor& x) { return x ? x.slice_columns(from, to - from) : Tensor{}; };
    if (row.adaptive)
      kernels::adam_update(part(p), part(first_), part(second_), part(g),
                           {.rate = rate,
                            .beta1 = config_.beta1,
                            .beta2 = config_.beta2,
                            .epsilon = config_.epsilon,
                            .decay = row.decays ? config_.weight_decay : 0,
                            .scale = scale,
                            .t = static_cast<long>(updates_)});
    else
      kernels::sgd_update(part(p), part(first_), part(g), {.rate = rate, .momentum = config_.momentum, .scale = scale});
    timer.lap(kernels::Profile::update);
  });
}

NamedTensors Optimizer::state() const {
  NamedTensors moments;
  // Checkpoints use the British spelling.
  if (first_) moments.emplace_back("optimiser.first", first_);
  if (second_) moments.emplace_back("optimiser.second", second_);
  return moments;
}

}  // namespace heed::train
