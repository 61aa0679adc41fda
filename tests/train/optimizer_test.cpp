// Ten steps of each optimizer compared with PyTorch's losses, and the fast kernels with the reference kernels.
#include "train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inspect/parity.h"
#include "kernels/cpu.h"
#include "kernels/optimizer.h"
#include "model/model_file.h"
#include "support/compare.h"
#include "support/files.h"
#include "support/op_cases.h"
#include "train/data_parallel.h"

namespace heed::testing {
namespace {

struct Trajectory {
  const char* tensor;
  train::OptimizerConfig config;
  double rate;
};

// The mean loss per target token before each of ten updates; all sentences are one batch, split over two workers.
std::vector<double> ten_steps(const Safetensors& file, const Trajectory& trajectory) {
  const model::Model model(inspect::golden_config(file), DType::f32,
                           copied_from(file, "param/", inspect::golden_names(file)));
  std::vector<std::vector<Id>> sources, targets;
  double tokens = 0;
  for (int i = 0; file.find(fmt::format("src/{}", i)) != nullptr; ++i) {
    for (auto& [list, name] : {std::pair{&sources, "src"}, std::pair{&targets, "trg"}}) {
      const auto ids = file.tensor(fmt::format("{}/{}", name, i)).values<std::int64_t>();
      list->emplace_back(ids.begin(), ids.end());
    }
    tokens += static_cast<double>(targets.back().size());
  }
  train::DataParallel parallel(model.parameters(), 2);
  train::Optimizer optimizer(trajectory.config, model.parameters());
  std::vector<double> losses;
  for (int step = 0; step < 10; ++step) {
    double sums[2] = {};
    parallel.run([&](int worker, autograd::Tape& tape) {
      std::vector<Ids> source, target;
      for (std::size_t i = static_cast<std::size_t>(worker); i < sources.size(); i += 2) {
        source.emplace_back(sources[i]);
        target.emplace_back(targets[i]);
      }
      sums[worker] = model.loss(tape, {source, target}, {.weight = 1 / tokens}).loss;
      return false;
    });
    losses.push_back((sums[0] + sums[1]) / tokens);
    optimizer.apply(parallel.gradients(), std::sqrt(parallel.gradients().sum_of_squares()), trajectory.rate,
                    parallel.pool());
  }
  return losses;
}

TEST(Optimizer, TenStepsFollowPyTorch) {
  const Trajectory trajectories[] = {
      {"adam_losses", {.kind = train::OptimizerKind::adam}, 0.01},
      {"adamclip_losses", {.kind = train::OptimizerKind::adam, .clip = 1.0}, 0.01},
      {"adamw_losses", {.kind = train::OptimizerKind::adamw, .weight_decay = 0.01}, 0.01},
      {"sgd_losses", {.kind = train::OptimizerKind::sgd, .momentum = 0.9}, 0.1},
  };
  int compared = 0;
  for (const char* name : {"bigru-deep-output", "luong-general", "location-gru"}) {
    const Safetensors file((golden_directory() / fmt::format("trajectory-{}.safetensors", name)).string());
    for (const Trajectory& trajectory : trajectories) {
      const std::vector<float> golden = file.tensor(trajectory.tensor).values<float>();
      const std::vector<double> losses = ten_steps(file, trajectory);
      ASSERT_EQ(golden.size(), 10u);
      EXPECT_LT(losses.back(), losses.front()) << name << " " << trajectory.tensor;
      for (std::size_t i = 0; i < 10; ++i, ++compared)
        EXPECT_NEAR(losses[i], golden[i], 1e-4 * std::abs(static_cast<double>(golden[i])))
            << name << " " << trajectory.tensor << " step " << i;
    }
  }
  EXPECT_EQ(compared, 120);
}

TEST(Optimizer, FastKernelsAgreeWithReferenceKernels) {
  for (const std::string& set : kernels::instruction_sets()) {
    kernels::use_instruction_set(set);
    for (const Index n : {1, 7, 33, 100}) {
      std::vector<std::vector<double>> results[2];
      for (const DType type : {DType::f32, DType::f64}) {
        Arena arena;
        const Tensor p = arena.tensor(type, 1, n), m = arena.tensor(type, 1, n), v = arena.zeros(type, 1, n),
                     g = arena.tensor(type, 1, n), q = arena.tensor(type, 1, n), u = arena.tensor(type, 1, n);
        for (const auto& [x, salt] :
             {std::pair{p, 1u}, std::pair{m, 2u}, std::pair{g, 3u}, std::pair{q, 4u}, std::pair{u, 5u}})
          randomize(x, salt);
        kernels::adam_update(p, m, v, g, {.rate = 0.1, .decay = 0.2, .scale = 0.5, .t = 3});
        kernels::sgd_update(q, u, g, {.rate = 0.1, .momentum = 0.9, .scale = 0.5});
        results[type == DType::f64] = {numbers(p), numbers(m), numbers(v), numbers(q), numbers(u)};
      }
      expect_close(results[0], results[1], {.absolute = 1e-7, .relative = 1e-6});
    }
  }
  kernels::use_instruction_set(kernels::instruction_sets().front());
}

}  // namespace
}  // namespace heed::testing
