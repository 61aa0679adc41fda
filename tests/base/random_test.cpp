#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>
#include <vector>

namespace heed {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known answers that come with Salmon et al.'s reference implementation.
TEST(Random, philox_matches_the_published_numbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, a_number_depends_only_on_seed_stream_index_and_position) {
  const Random random(7, Stream::dropout, 3);
  std::vector<std::uint32_t> forward, backward(1000);
  for (int i = 0; i < 1000; ++i) forward.push_back(random.bits(static_cast<std::uint64_t>(i)));
  std::thread([&] {
    for (int i = 999; i >= 0; --i)
      backward[static_cast<std::size_t>(i)] = Random(7, Stream::dropout, 3).bits(static_cast<std::uint64_t>(i));
  }).join();
  EXPECT_EQ(forward, backward);
  const std::uint64_t far = std::uint64_t{1} << 40;
  const std::set<std::uint32_t> different = {
      random.bits(0),
      random.bits(1),
      random.bits(far),
      Random(8, Stream::dropout, 3).bits(0),
      Random(7 + (std::uint64_t{1} << 32), Stream::dropout, 3).bits(0),
      Random(7, Stream::shuffle, 3).bits(0),
      Random(7, Stream::dropout, 4).bits(0),
  };
  EXPECT_EQ(different.size(), 7u) << "two streams share a number";
  EXPECT_EQ(random.block(5)[2], random.bits(22));
}

TEST(Random, uniform_is_uniform) {
  const Random random(1, Stream::test);
  constexpr int kCount = 200'000, kBins = 16;
  std::vector<int> bins(kBins);
  double sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const float x = random.uniform(static_cast<std::uint64_t>(i));
    ASSERT_GE(x, 0.0f);
    ASSERT_LT(x, 1.0f);
    sum += x;
    ++bins[static_cast<std::size_t>(x * kBins)];
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.003);  // 4.6 standard errors
  double chi_squared = 0;
  for (const int n : bins) chi_squared += std::pow(n - kCount / kBins, 2) / (kCount / kBins);
  EXPECT_LT(chi_squared, 45) << "15 degrees of freedom: past this once in ten thousand";
  EXPECT_LT(Random::to_uniform(~0u), 1.0f);
}

TEST(Random, below_reaches_all_values_below_the_bound) {
  const Random random(2, Stream::test);
  std::vector<int> seen(7);
  for (std::uint64_t i = 0; i < 7'000; ++i) ++seen.at(random.below(i, 7));
  for (const int n : seen) EXPECT_NEAR(n, 1000, 150);
  EXPECT_EQ(random.below(0, 1), 0u);
}

TEST(Random, normal_is_normal) {
  const Random random(3, Stream::test);
  constexpr int kCount = 200'000;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal(static_cast<std::uint64_t>(i));
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.01);
  EXPECT_NEAR(squares / kCount, 1, 0.015);
  EXPECT_NEAR(fourth / kCount, 3, 0.15);
}

}  // namespace
}  // namespace heed
