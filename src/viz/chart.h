// Line charts of training runs. The layout (axes, ticks, labels) is computed here; the pages' script chart.js and the
// SVG document draw it, both with the styles of chart.css. Names may contain anything. Thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed::viz {

struct Curve {
  struct Point {
    double x, y;
  };
  std::string name;
  std::vector<Point> points;  // sorted by x; those that are not finite are left out
  bool dots = false;          // mark the points, unless there are many
  std::size_t style = 0;      // color and dashes; curves of the same style have one label
  std::string label = "";     // at the end of the curve; empty: its name
};

struct Chart {
  std::string title;
  std::vector<Curve> curves;
  bool log = false;     // a logarithmic axis if the values span a wide range
  bool zero = false;    // the axis starts at zero
  bool labels = false;  // at the ends of the curves, if there is room
};

// The points (update, KEY) of the lines of metrics.jsonl that have this kind and both numbers.
std::vector<Curve::Point> points_of(std::span<const Json> lines, std::string_view kind, const std::string& key);

// Six colors, then the same dashed, then dotted.
inline constexpr std::size_t kCurveColors = 6, kCurveDashes = 3;
std::string curve_classes(std::size_t style);  // classes of chart.css

// For chart.js; null if there is nothing to draw.
Json chart_json(const Chart& chart);

// The charts in two columns, without empty ones, with a legend above; light or dark as the viewer prefers.
struct ChartKey {
  std::string name;
  std::size_t style = 0;
};
std::string charts_svg(const std::string& title, std::span<const Chart> charts, std::span<const ChartKey> legend);

// About `most` of them, evenly spaced, always with the first and the last.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  std::vector<T> kept;
  const std::size_t every = std::max<std::size_t>((all.size() + most - 1) / most, 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % every == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  return kept;
}

}  // namespace heed::viz
