#include "kernels/bfloat16.h"

#include <bit>
#include <cstddef>

namespace heed::kernels {
namespace {

// Two rounds of multiplication and exclusive or with the upper bits: every bit of the key changes all bits of the
// result.
std::uint32_t mix(std::uint32_t key) {
  key = (key ^ (key >> 16)) * 0x7feb352dU;
  key = (key ^ (key >> 15)) * 0x846ca68bU;
  return key ^ (key >> 16);
}

}  // namespace

void to_bfloat16(std::span<std::uint16_t> out, std::span<const float> x, const Rounding& rounding) {
  const std::uint32_t key = mix(static_cast<std::uint32_t>(rounding.seed) ^
                                mix(static_cast<std::uint32_t>(rounding.seed >> 32) ^ 0x9e3779b9U));
  const auto first = static_cast<std::uint32_t>(rounding.first);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    const std::uint32_t rounded = (bits + (mix(key ^ (first + static_cast<std::uint32_t>(i))) & 0xffffU)) >> 16;
    const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
    out[i] = static_cast<std::uint16_t>(is_nan ? 0x7fc0U : rounded);
  }
}

void from_bfloat16(std::span<float> out, std::span<const std::uint16_t> x) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::bit_cast<float>(std::uint32_t{x[i]} << 16);
}

}  // namespace heed::kernels
