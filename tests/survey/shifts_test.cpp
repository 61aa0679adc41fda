#include "survey/shifts.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace heed {
namespace {

using Lengths = std::vector<std::uint32_t>;

struct Sides {
  Lengths source, target;
  explicit Sides(std::uint32_t lines, bool sorted = false) {
    const Random random(2, Stream::test);
    for (std::uint32_t i = 0; i < lines; ++i) source.push_back(sorted ? 10 + i / 50 : 20 + random.below(2 * i, 100));
    for (std::uint32_t i = 0; i < lines; ++i)
      target.push_back(
          static_cast<std::uint32_t>(static_cast<float>(source[i]) * (0.9F + 0.6F * random.uniform(2 * i + 1))));
  }
};

TEST(Shifts, NoneInGoodText) {
  for (const bool sorted : {false, true}) {
    const Sides sides(20000, sorted);
    EXPECT_TRUE(survey::find_shifts(sides.source, sides.target).empty());
  }
}

TEST(Shifts, FindsTheRangeAndTheDistance) {
  for (const int distance : {1, 2, 5, -1, -3}) {
    Sides sides(2000);
    // Lines removed at 500 are made up for at 1200.
    Lengths& side = distance > 0 ? sides.source : sides.target;
    const auto count = static_cast<std::size_t>(std::abs(distance));
    side.erase(side.begin() + 500, side.begin() + 500 + static_cast<std::ptrdiff_t>(count));
    side.insert(side.begin() + 1200, count, 60);
    const auto shifts = survey::find_shifts(sides.source, sides.target);
    ASSERT_EQ(shifts.size(), 1u) << distance;
    EXPECT_EQ(shifts[0].lines, distance);
    EXPECT_NEAR(static_cast<double>(shifts[0].from), 501, 6);
    EXPECT_NEAR(static_cast<double>(shifts[0].to), 1200, 6);
  }
}

TEST(Shifts, ToTheEndOfTheText) {
  Sides sides(1000);
  sides.source.erase(sides.source.begin() + 400);
  sides.source.push_back(50);
  const auto shifts = survey::find_shifts(sides.source, sides.target);
  ASSERT_EQ(shifts.size(), 1u);
  EXPECT_NEAR(static_cast<double>(shifts[0].from), 401, 6);
  EXPECT_GE(shifts[0].to, 995);
}

TEST(Shifts, ShortTextsAndUnequalSides) {
  EXPECT_TRUE(survey::find_shifts({}, {}).empty());
  EXPECT_TRUE(survey::find_shifts(Lengths{1, 2, 3}, Lengths{3, 2, 1}).empty());
  EXPECT_TRUE(survey::find_shifts(Lengths(100, 0), Lengths(100, 0)).empty());
  EXPECT_THROW(survey::find_shifts(Lengths(100, 1), Lengths(99, 1)), ShapeError);
}

}  // namespace
}  // namespace heed
