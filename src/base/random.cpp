#include "base/random.h"

#include <cmath>
#include <numbers>

namespace heed::inline base {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < Philox::kRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{Philox::kMultiplier[0]} * counter[0],
                        product1 = std::uint64_t{Philox::kMultiplier[1]} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += Philox::kKeyStep[0];
    key[1] += Philox::kKeyStep[1];
  }
  return counter;
}

float Random::normal(std::uint64_t position) const {
  const auto words = block(position);
  const double radius = std::sqrt(-2.0 * std::log((words[0] + 1.0) * 0x1p-32));
  return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * words[1] * 0x1p-32));
}

}  // namespace heed::base
