// Stochastic rounding to bfloat16.
#include "kernels/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace heed::testing {
namespace {

std::vector<float> rounded(const std::vector<float>& x, const kernels::Rounding& rounding) {
  std::vector<std::uint16_t> packed(x.size());
  std::vector<float> out(x.size());
  kernels::to_bfloat16(packed, x, rounding);
  kernels::from_bfloat16(out, packed);
  return out;
}

TEST(Bfloat16, KeepsNumbersThatItCanRepresent) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x = {0, -0.0f, 1, -1.5f, 0x1.fep100f, 0x1p-130f, kInfinity, -kInfinity};
  for (std::uint64_t seed = 0; seed < 100; ++seed) EXPECT_EQ(rounded(x, {seed, 0}), x);
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const float y :
         rounded({std::nanf(""), -std::nanf("1"), std::bit_cast<float>(0x7f800001U), std::bit_cast<float>(0xffffffffU)},
                 {seed, 0}))
      EXPECT_TRUE(std::isnan(y));
}

TEST(Bfloat16, RoundsToANeighborWithTheRightMean) {
  const float x = 1 + 0x1p-9f, low = 1, high = 1 + 0x1p-7f;  // a quarter of the way
  const std::vector<float> y = rounded(std::vector<float>(100'000, x), {7, 0});
  double sum = 0;
  for (const float value : y) {
    ASSERT_TRUE(value == low || value == high) << value;
    sum += static_cast<double>(value);
  }
  const double fraction = (sum / static_cast<double>(y.size()) - 1) / 0x1p-7;
  EXPECT_NEAR(fraction, 0.25, 0.01);
}

TEST(Bfloat16, DependsOnTheSeedAndThePositionAlone) {
  std::vector<float> x;
  for (int i = 0; i < 1000; ++i) x.push_back(std::sin(static_cast<float>(i)));
  const std::vector<float> whole = rounded(x, {3, 0}), part = rounded({x.begin() + 300, x.end()}, {3, 300});
  EXPECT_EQ(std::vector<float>(whole.begin() + 300, whole.end()), part);
  EXPECT_NE(whole, rounded(x, {4, 0}));
  EXPECT_NE(whole, rounded(x, {std::uint64_t{3} << 32, 0}));
  EXPECT_NE(part, rounded({x.begin() + 300, x.end()}, {3, 0}));
}

}  // namespace
}  // namespace heed::testing
