#include "viz/colors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed::viz {
namespace {

// CIE L*, 0 to 100.
double lightness(double y) {
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

// The response of the long- and the middle-wave cones (Vienot et al. 1999): all that deuteranopes and protanopes see of
// red and green.
double cone(const Color& c, double red, double green, double blue) {
  return red * luminance({c.red, 0, 0}) / 0.2126 + green * luminance({0, c.green, 0}) / 0.7152 +
         blue * luminance({0, 0, c.blue}) / 0.0722;
}
double long_cone(const Color& c) {
  return cone(c, 17.8824, 43.5161, 4.11935);
}
double middle_cone(const Color& c) {
  return cone(c, 3.45565, 27.1554, 3.86714);
}

class Ramps : public ::testing::TestWithParam<Ramp> {};
INSTANTIATE_TEST_SUITE_P(Both, Ramps, ::testing::Values(Ramp::paper, Ramp::night));

TEST_P(Ramps, AreMonotonicInGrayscaleAndForColorBlindReaders) {
  const double sign = GetParam() == Ramp::paper ? -1 : 1;
  for (int i = 1; i <= 32; ++i) {
    const Color before = color_of((i - 1) / 32.0, GetParam()), after = color_of(i / 32.0, GetParam());
    EXPECT_GT(sign * (luminance(after) - luminance(before)), 0) << i;
    EXPECT_GT(sign * (long_cone(after) - long_cone(before)), 0) << i;
    EXPECT_GT(sign * (middle_cone(after) - middle_cone(before)), 0) << i;
  }
}

TEST_P(Ramps, ChangeEvenly) {
  double least = 1e9, most = 0, range = 0;
  for (int i = 1; i <= 16; ++i) {
    const double step = std::abs(lightness(luminance(color_of(i / 16.0, GetParam()))) -
                                 lightness(luminance(color_of((i - 1) / 16.0, GetParam()))));
    least = std::min(least, step), most = std::max(most, step), range += step;
  }
  EXPECT_GT(range, 60);
  EXPECT_LT(most, 2.5 * least) << "one part of the scale shows differences that another hides";
}

TEST(Colors, TakesAnyNumber) {
  const std::string none = to_hex(color_of(0, Ramp::paper)), all = to_hex(color_of(1, Ramp::paper));
  EXPECT_NE(none, all);
  EXPECT_EQ(to_hex(color_of(-3, Ramp::paper)), none);
  EXPECT_EQ(to_hex(color_of(std::numeric_limits<double>::quiet_NaN(), Ramp::paper)), none);
  EXPECT_EQ(to_hex(color_of(7, Ramp::paper)), all);
  EXPECT_EQ(to_hex({255, 0, 16}), "#ff0010");
}

}  // namespace
}  // namespace heed::viz
