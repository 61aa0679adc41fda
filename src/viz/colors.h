// The color scale of attention: two ramps through OKLab, resampled so that equal differences of weight are equal
// distances between colors. Lightness is monotonic, so the order is preserved in grayscale and for color-blind readers.
// Thread-safe.
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
