// The operations a tape can record. Each has a case in tests/autograd/op_cases.cpp; a test fails for one that has none.
#pragma once

#include <array>
#include <string_view>

namespace heed {

enum class Op {
  linear,
  step_linear,
  matmul,
  embedding,
  gather_rows,
  add,
  multiply,
  write,
  broadcast,
  tanh,
  sigmoid,
  relu,
  dropout,
  softmax,
  gru,
  lstm,
  rnn,
  additive_attention,
  dot_attention,
  linear_attention,
  location_attention,
  guide_attention,
  layer_norm,
  output_loss,
};

inline constexpr std::array<std::string_view, 24> kOpNames = {
    "linear",
    "step_linear",
    "matmul",
    "embedding",
    "gather_rows",
    "add",
    "multiply",
    "write",
    "broadcast",
    "tanh",
    "sigmoid",
    "relu",
    "dropout",
    "softmax",
    "gru",
    "lstm",
    "rnn",
    "additive_attention",
    "dot_attention",
    "linear_attention",
    "location_attention",
    "guide_attention",
    "layer_norm",
    "output_loss",
};
static_assert(kOpNames.size() == static_cast<std::size_t>(Op::output_loss) + 1);

}  // namespace heed
