// Comparators that cannot pass by accident: they fail on different sizes, empty vectors and NaN.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace heed::testing {

struct Tolerance {
  double absolute = 0;
  double relative = 0;  // of the largest expected number in the vector
};

// Describes the first difference beyond the tolerance; empty if there is none.
inline std::string difference(const std::vector<double>& actual, const std::vector<double>& expected, Tolerance t) {
  if (actual.size() != expected.size())
    return "has " + std::to_string(actual.size()) + " numbers, expected " + std::to_string(expected.size());
  if (expected.empty()) return "is empty: nothing was compared";
  double largest = 0;
  for (const double x : expected) largest = std::max(largest, std::abs(x));
  const double allowed = t.absolute + t.relative * largest;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(actual[i] - expected[i]) <= allowed) continue;  // false for NaN too
    return "number " + std::to_string(i) + " is " + ::testing::PrintToString(actual[i]) + ", expected " +
           ::testing::PrintToString(expected[i]) + " within " + ::testing::PrintToString(allowed);
  }
  return {};
}

inline void expect_close(const std::vector<std::vector<double>>& actual,
                         const std::vector<std::vector<double>>& expected, Tolerance tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_FALSE(expected.empty()) << "nothing was compared";
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_EQ(difference(actual[k], expected[k], tolerance), "") << "in vector " << k;
}

}  // namespace heed::testing
