// The operations a tape can record. Each must have a case in tests/support/op_cases.cpp; a test fails if one is
// missing. Models use fused operations; matmul, softmax and sigmoid exist so that tests can compose the same functions
// from simple ones.
#pragma once

#include <array>
#include <string_view>

namespace heed::autograd {

// clang-format off
#define HEED_OPS(X)                                                                                         \
  X(linear) X(step_linear) X(matmul) X(embedding) X(gather_rows) X(add) X(mul) X(write) X(broadcast)        \
  X(tanh) X(sigmoid) X(relu) X(dropout) X(softmax) X(gru) X(lstm) X(rnn) X(additive_attention)              \
  X(dot_attention) X(linear_attention) X(location_attention) X(guide_attention) X(layer_norm) X(output_loss)
// clang-format on

#define HEED_ENUMERATOR(name) name,
enum class Op { HEED_OPS(HEED_ENUMERATOR) };
#undef HEED_ENUMERATOR

#define HEED_NAME(name) std::string_view(#name),
inline constexpr std::array kOpNames = {HEED_OPS(HEED_NAME)};
#undef HEED_NAME
#undef HEED_OPS

}  // namespace heed::autograd
