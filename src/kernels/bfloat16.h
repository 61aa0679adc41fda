// Conversion to bfloat16, the upper half of an f32: the same range, eight bits of precision. Stochastic rounding: a
// number becomes one of its two neighbors, with probabilities such that its expected value is kept.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// Numbers are rounded as a function of the seed and their position alone. `first` is the position of the first one.
struct Rounding {
  std::uint64_t seed = 0, first = 0;
};

// Both spans have the same size. NaN remains NaN, infinity remains infinity, and a bfloat16 number keeps its value.
void to_bfloat16(std::span<std::uint16_t> out, std::span<const float> x, const Rounding& rounding);
void from_bfloat16(std::span<float> out, std::span<const std::uint16_t> x);

}  // namespace heed::kernels
