// The color scale of attention. Two ramps through OKLab, each resampled so that equal differences of weight are equal
// distances between colors; lightness runs one way only, so the order survives greyscale and every color blindness.
// Free of state, safe from any thread.
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

// weight is clamped to [0, 1]; what is not a number counts as 0.
Color color_of(double weight, Ramp ramp);

// CIE 1931 relative luminance, 0 to 1.
double luminance(const Color& color);

std::string to_hex(const Color& color);  // "#rrggbb"

}  // namespace heed::viz
