#include "viz/colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace heed::viz {
namespace {

struct Lab {
  double l, a, b;
};

// A point of the curve before resampling: lightness, chroma and hue (degrees) as functions of t in [0, 1].
Lab point(double t, Ramp ramp) {
  const bool paper = ramp == Ramp::paper;
  const double lightness = paper ? 0.975 - 0.675 * t : 0.255 + 0.685 * t;
  const double rise = std::sin(std::numbers::pi * std::pow(t, paper ? 0.75 : 1.0));
  const double chroma = paper ? 0.007 + 0.075 * rise + 0.1 * t : 0.03 + 0.085 * rise + 0.075 * t;
  const double hue = (paper ? 238 + 34 * t : 265 - 165 * std::pow(t, 1.1)) * std::numbers::pi / 180;
  return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

double distance(const Lab& x, const Lab& y) {
  return std::hypot(x.l - y.l, x.a - y.a, x.b - y.b);
}

double gamma_encoded(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

// OKLab (Ottosson 2020) to sRGB.
Color to_srgb(const Lab& c) {
  const double l = std::pow(c.l + 0.3963377774 * c.a + 0.2158037573 * c.b, 3);
  const double m = std::pow(c.l - 0.1055613458 * c.a - 0.0638541728 * c.b, 3);
  const double s = std::pow(c.l - 0.0894841775 * c.a - 1.2914855480 * c.b, 3);
  const auto byte = [](double linear) { return static_cast<int>(std::lround(255 * gamma_encoded(linear))); };
  return {byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

constexpr std::size_t kTableSize = 256;

std::array<Color, kTableSize> make_table(Ramp ramp) {
  constexpr int kFine = 4096;
  std::array<double, kFine + 1> length{};
  for (int i = 1; i <= kFine; ++i) {
    const double t = static_cast<double>(i) / kFine;
    length[static_cast<std::size_t>(i)] =
        length[static_cast<std::size_t>(i - 1)] + distance(point(t, ramp), point(t - 1.0 / kFine, ramp));
  }
  std::array<Color, kTableSize> table;
  std::size_t fine = 0;
  for (std::size_t i = 0; i < kTableSize; ++i) {
    const double wanted = length.back() * static_cast<double>(i) / (kTableSize - 1);
    while (fine < kFine && length[fine] < wanted) ++fine;
    table[i] = to_srgb(point(static_cast<double>(fine) / kFine, ramp));
  }
  return table;
}

}  // namespace

Color color_of(double weight, Ramp ramp) {
  static const std::array<Color, kTableSize> paper = make_table(Ramp::paper), night = make_table(Ramp::night);
  const double t = weight > 0 ? std::min(weight, 1.0) : 0;
  return (ramp == Ramp::paper ? paper : night)[static_cast<std::size_t>(std::lround(t * (kTableSize - 1)))];
}

double luminance(const Color& color) {
  const auto linear = [](int byte) {
    const double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

std::string to_hex(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

}  // namespace heed::viz
