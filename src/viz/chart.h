// Line charts of training runs. The layout (axes, ticks, labels) is computed here and drawn either by chart.js in a
// page or as an SVG document, both with the styles of chart.css. Names may contain anything. Thread-safe.
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
  std::vector<Point> points;  // sorted by x; points that are not finite are skipped
  bool dots = false;          // draw a dot at each point, unless there are many
  std::size_t style = 0;      // color and dashes; curves of the same style share one label
  std::string label = "";     // text at the end of the curve; empty: its name
};

struct Chart {
  std::string title;
  std::vector<Curve> curves;
  bool log = false;     // logarithmic y axis if the values span a wide range
  bool zero = false;    // the y axis starts at zero
  bool labels = false;  // label the ends of the curves, if there is room
};

// The points (update, KEY) from the lines of metrics.jsonl that have this kind and both numbers.
std::vector<Curve::Point> points_of(std::span<const Json> lines, std::string_view kind, const std::string& key);

// Styles are six solid colors, then the same dashed, then dotted.
inline constexpr std::size_t kCurveColors = 6, kCurveDashes = 3;
std::string curve_classes(std::size_t style);  // classes of chart.css

// The layout for chart.js; null if there is nothing to draw.
Json chart_json(const Chart& chart);

// An SVG document with the charts in two columns, without empty ones, below a legend; light or dark as the viewer
// prefers.
struct ChartKey {
  std::string name;
  std::size_t style = 0;
};
std::string charts_svg(const std::string& title, std::span<const Chart> charts, std::span<const ChartKey> legend);

// About `most` of the elements, evenly spaced, always including the first and the last.
template <class T>
std::vector<T> thinned(const std::vector<T>& all, std::size_t most) {
  std::vector<T> kept;
  const std::size_t every = std::max<std::size_t>((all.size() + most - 1) / most, 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % every == 0 || i + 1 == all.size()) kept.push_back(all[i]);
  return kept;
}

}  // namespace heed::viz
