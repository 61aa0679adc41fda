// The color scale for attention weights: two ramps through OKLab, resampled so that equal differences in weight are
// equal distances between colors. Lightness is monotonic, so the order is visible in grayscale and to color-blind
// readers. Thread-safe.
#pragma once

#include <string>

namespace heed::viz {

struct Color {
  int red = 0, green = 0, blue = 0;  // sRGB, 0 to 255
};

enum class Ramp {
  paper,  // near white to deep blue
  night,  // near black to pale yellow
};

// The weight is clamped to [0, 1]; NaN counts as 0.
Color color_of(double weight, Ramp ramp);

// CIE 1931 relative luminance, 0 to 1.
double luminance(const Color& color);

std::string to_hex(const Color& color);  // "#rrggbb"

}  // namespace heed::viz
