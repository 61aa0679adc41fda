// Counts times by their length. Not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace heed {

struct TimeHistogram {
  // Seconds: the upper bounds of all buckets but the last, which has none.
  static constexpr std::array<double, 14> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                     0.25,  0.5,    1,     2.5,  5,     10,   30};
  std::array<std::uint64_t, kBounds.size() + 1> counts{};  // per bucket
  double sum = 0;

  void add(double seconds) {
    ++counts[static_cast<std::size_t>(std::ranges::lower_bound(kBounds, seconds) - kBounds.begin())];
    sum += seconds;
  }
};

}  // namespace heed
