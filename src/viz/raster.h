// Converts heed's own SVG to PNG and PDF, with librsvg and cairo. InternalError if they reject it, InputError if they
// are not installed. Thread-safe.
#pragma once

#include <string>

namespace heed::viz {

// `scale`: pixels per SVG unit; fewer if a side would exceed cairo's limit of 32,767 pixels.
std::string svg_to_png(const std::string& svg, double scale = 2);
// A single page with the size of the picture.
std::string svg_to_pdf(const std::string& svg);

}  // namespace heed::viz
