#include "train/optimiser.h"

#include <algorithm>
#include <cmath>

#include "kernels/optimiser.h"
#include "kernels/profile.h"

namespace heed {

std::vector<std::string> optimiser_names() {
  return {"sgd", "adam", "adamw"};
}

Optimiser::Optimiser(const OptimiserConfig& config, const Parameters& parameters)
    : config_(config), parameters_(parameters) {
  const auto names = optimiser_names();
  check<UsageError>(std::ranges::find(names, config.name) != names.end(), "no optimiser is called {}; there are {}",
                    config.name, fmt::join(names, ", "));
  const Tensor flat = parameters.flat();
  const bool adam = config.name != "sgd";
  if (adam || config.momentum != 0) first_ = memory_.zeros(flat.type(), 1, flat.columns());
  if (adam) second_ = memory_.zeros(flat.type(), 1, flat.columns());
}

double Optimiser::update(const Gradients& gradients, double rate, ThreadPool& pool) {
  const double norm = std::sqrt(gradients.sum_of_squares());
  if (std::isfinite(norm)) apply(gradients, norm, rate, pool);
  return norm;
}

void Optimiser::apply(const Gradients& gradients, double norm, double rate, ThreadPool& pool) {
  // PyTorch's clip_grad_norm_, its 1e-6 included.
  const double scale = config_.clip > 0 ? std::min(1.0, config_.clip / (norm + 1e-6)) : 1.0;
  ++updates_;
  const Tensor p = parameters_.flat(), g = gradients.flat();
  pool.run(pool.size(), [&](int worker) {
    kernels::ProfileTimer timer;
    const Index from = p.columns() * worker / pool.size(), to = p.columns() * (worker + 1) / pool.size();
    const auto part = [&](const Tensor& x) { return x ? x.slice_columns(from, to - from) : Tensor{}; };
    if (config_.name == "sgd")
      kernels::sgd_update(part(p), part(first_), part(g), {.rate = rate, .momentum = config_.momentum, .scale = scale});
    else
      kernels::adam_update(part(p), part(first_), part(second_), part(g),
                           {.rate = rate,
                            .beta1 = config_.beta1,
                            .beta2 = config_.beta2,
                            .epsilon = config_.epsilon,
                            .decay = config_.name == "adamw" ? config_.weight_decay : 0,
                            .scale = scale,
                            .t = static_cast<long>(updates_)});
    timer.lap(kernels::Profile::update);
  });
}

std::vector<std::pair<std::string, Tensor>> Optimiser::state() const {
  std::vector<std::pair<std::string, Tensor>> moments;
  if (first_) moments.emplace_back("optimiser.first", first_);
  if (second_) moments.emplace_back("optimiser.second", second_);
  return moments;
}

}  // namespace heed
