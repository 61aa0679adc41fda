// PNG and PDF from our own SVG, through librsvg and cairo. InternalError where they refuse it. Free of state.
#pragma once

#include <string>

namespace heed::viz {

// `scale` pixels for each of the SVG's; reduced where the picture would pass cairo's limit of 32,767 a side.
std::string svg_to_png(const std::string& svg, double scale = 2);
// One page of the picture's size.
std::string svg_to_pdf(const std::string& svg);

}  // namespace heed::viz
