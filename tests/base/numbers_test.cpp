#include "base/numbers.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace heed {
namespace {

TEST(Numbers, are_grouped_by_thousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1'234), "-1,234");
}

TEST(Numbers, are_followed_by_the_singular_only_if_they_are_one) {
  EXPECT_EQ(counted(1, "update"), "1 update");
  EXPECT_EQ(counted(0, "update"), "0 updates");
  EXPECT_EQ(counted(std::size_t{1'000}, "update"), "1,000 updates");
  EXPECT_EQ(counted(1, "entry", "entries"), "1 entry");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

}  // namespace
}  // namespace heed
