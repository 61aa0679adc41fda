#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "viz/colors.h"
#include "viz/heatmap.h"
#include "viz/label.h"

namespace heed::viz {
namespace {

constexpr double kMargin = 16, kGap = 28;  // around the picture, between maps
constexpr double kLongestLabel = 22;       // ems; longer words are cut, with a tooltip of the full text
constexpr double kFaint = 0.004;           // smaller weights are invisible and not drawn
constexpr const char *kInk = "#1c2733", *kSoftInk = "#5b6875", *kLine = "#c9d3dd", *kGold = "#d9480f";
// The first available font is used; the others supply scripts that it lacks.
constexpr const char* kFonts =
    "'Noto Sans','Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans','Noto Sans CJK SC','Noto Sans Arabic',"
    "'Noto Sans Devanagari',Symbola,sans-serif";

using Out = std::back_insert_iterator<std::string>;

// Sizes of one map, in pixels.
struct Layout {
  double cell = 0, font = 0;
  bool upright = false;        // source labels are rotated by 90 degrees instead of 45
  bool level = false;          // or not rotated, if all of them fit over their columns
  double heading = 0;          // height of title and subtitle
  double left = 0, above = 0;  // space for the labels
  double overhang = 0;         // how far labels extend beyond the right edge
  double grid_width = 0, grid_height = 0;
  double width = 0, height = 0;
};

struct Panel {
  const Heatmap& map;
  std::vector<std::string> source, target;  // clean
  Layout at;
};

double label_width(const std::string& label, double font) {
  return std::min(em_width(label), kLongestLabel) * font;
}

double widest(const std::vector<std::string>& labels, double font) {
  double most = 0;
  for (const std::string& label : labels) most = std::max(most, label_width(label, font));
  return most;
}

// One cell size for all maps, so that they can be compared.
double cell_size(std::span<const Heatmap> maps, bool numbers) {
  std::size_t words = 1;
  for (const Heatmap& map : maps) words = std::max({words, map.attention.source.size(), map.attention.target.size()});
  return std::clamp(std::round(760.0 / static_cast<double>(words)), numbers ? 27.0 : 13.5, numbers ? 36.0 : 30.0);
}

Layout lay_out(const Heatmap& map, const Panel& panel, double cell) {
  Layout l;
  l.cell = cell;
  l.font = std::clamp(cell * 0.6, 9.5, 13.0);
  l.heading = (map.title.empty() ? 0 : 22) + (map.subtitle.empty() ? 0 : 17);
  if (l.heading > 0) l.heading += 6;
  l.left = widest(panel.target, l.font) + 8;
  const double longest = widest(panel.source, l.font);
  l.level = longest <= cell - 3;
  l.upright = !l.level && cell < 1.6 * l.font;
  const double slope = std::sqrt(0.5);
  l.above = l.level ? l.font + 8 : l.upright ? longest + 8 : (longest + l.font) * slope + 8;
  l.grid_width = cell * static_cast<double>(panel.source.size());
  l.grid_height = cell * static_cast<double>(panel.target.size());
  for (std::size_t s = 0; !l.level && !l.upright && s < panel.source.size(); ++s) {
    const double reach = cell * (static_cast<double>(s) + 0.5) + label_width(panel.source[s], l.font) * slope + l.font;
    l.overhang = std::max(l.overhang, reach - l.grid_width);
  }
  const double heading_width = std::max(em_width(map.title) * 15, em_width(map.subtitle) * 11.5);
  l.width = std::max(l.left + l.grid_width + l.overhang, heading_width);
  l.height = l.heading + l.above + l.grid_height;
  return l;
}

// A label; if it is cut, the full word becomes its tooltip.
void put_label(Out out, const std::string& label, const std::string& attributes) {
  const std::string shown = shorten_to_ems(label, kLongestLabel);
  fmt::format_to(out, "<text {}>{}{}</text>\n", attributes,
                 shown == label ? "" : fmt::format("<title>{}</title>", escape_markup(label)), escape_markup(shown));
}

void put_heading(Out out, const Heatmap& map) {
  double y = 0;
  if (!map.title.empty())
    fmt::format_to(out, "<text y=\"{}\" font-size=\"15\" font-weight=\"600\">{}</text>\n", y += 16,
                   escape_markup(clean_label(map.title)));
  if (!map.subtitle.empty())
    fmt::format_to(out, "<text y=\"{}\" font-size=\"11.5\" fill=\"{}\">{}</text>\n", y + 18, kSoftInk,
                   escape_markup(clean_label(map.subtitle)));
}

void put_labels(Out out, const Panel& panel) {
  const Layout& l = panel.at;
  const double top = l.heading + l.above;
  for (std::size_t s = 0; s < panel.source.size(); ++s) {
    const double x = l.left + l.cell * (static_cast<double>(s) + 0.5), y = top - 5;
    const double anchor = l.upright ? x + 0.35 * l.font : x + 2;
    put_label(out, panel.source[s],
              l.level
                  ? fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"", x, y)
                  : fmt::format("transform=\"translate({:.1f} {:.1f}) rotate({})\"", anchor, y, l.upright ? -90 : -45));
  }
  for (std::size_t t = 0; t < panel.target.size(); ++t)
    put_label(out, panel.target[t],
              fmt::format("x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\"", l.left - 6,
                          top + l.cell * (static_cast<double>(t) + 0.5) + 0.35 * l.font));
}

// ".93" or "1"; empty if it would round to zero.
std::string short_number(double weight) {
  if (weight >= 0.995) return "1";
  if (weight < 0.005) return "";
  return fmt::format("{:.2f}", weight).substr(1);
}

void put_cells(Out out, const Panel& panel, bool numbers) {
  const Layout& l = panel.at;
  const double gap = l.cell >= 20 ? 1 : 0.5, side = l.cell - gap;
  for (std::size_t t = 0; t < panel.target.size(); ++t) {
    for (std::size_t s = 0; s < panel.source.size(); ++s) {
      const double weight = panel.map.attention.at(t, s);
      if (!(weight >= kFaint)) continue;
      const double x = l.cell * static_cast<double>(s), y = l.cell * static_cast<double>(t);
      const Color color = color_of(weight, Ramp::paper);
      fmt::format_to(out,
                     "<rect x=\"{:.4g}\" y=\"{:.4g}\" width=\"{:.4g}\" height=\"{:.4g}\" fill=\"{}\">"
                     "<title>{} ← {} {:.3f}</title></rect>\n",
                     x + gap / 2, y + gap / 2, side, side, to_hex(color), escape_markup(panel.target[t]),
                     escape_markup(panel.source[s]), weight);
      const std::string number = numbers ? short_number(weight) : "";
      if (!number.empty())
        fmt::format_to(out,
                       "<text x=\"{:.4g}\" y=\"{:.4g}\" font-size=\"{:.3g}\" text-anchor=\"middle\" fill=\"{}\">{}"
                       "</text>\n",
                       x + l.cell / 2, y + l.cell / 2 + 0.13 * l.cell, 0.36 * l.cell,
                       luminance(color) < 0.35 ? "#ffffff" : kInk, number);
    }
  }
}

void put_links(Out out, const Panel& panel) {
  const Layout& l = panel.at;
  const double stroke = l.cell >= 20 ? 2 : 1.4, inset = stroke / 2 + 0.25;
  for (const alignment::Link& link : panel.map.links) {
    if (link.source >= panel.source.size() || link.target >= panel.target.size()) continue;
    fmt::format_to(out,
                   "<rect x=\"{:.4g}\" y=\"{:.4g}\" width=\"{:.4g}\" height=\"{:.4g}\" rx=\"2\" fill=\"none\" "
                   "stroke=\"{}\" stroke-width=\"{}\"{}/>\n",
                   l.cell * static_cast<double>(link.source) + inset, l.cell * static_cast<double>(link.target) + inset,
                   l.cell - 2 * inset, l.cell - 2 * inset, kGold, stroke,
                   link.sure ? "" : fmt::format(" stroke-dasharray=\"{0:.3g} {0:.3g}\"", l.cell / 7));
  }
}

void put_grid(Out out, const Panel& panel, bool numbers) {
  const Layout& l = panel.at;
  fmt::format_to(out, "<g transform=\"translate({:.1f} {:.1f})\">\n", l.left, l.heading + l.above);
  fmt::format_to(out, "<rect width=\"{:.4g}\" height=\"{:.4g}\" fill=\"{}\" stroke=\"{}\"/>\n", l.grid_width,
                 l.grid_height, panel.map.attention.has_weights() ? to_hex(color_of(0, Ramp::paper)) : "none", kLine);
  // Guide lines for long sentences.
  for (std::size_t s = 5; l.upright && s < panel.source.size(); s += 5)
    fmt::format_to(out, "<path d=\"M{:.4g} 0V{:.4g}\" stroke=\"{}\" stroke-width=\".5\"/>\n",
                   l.cell * static_cast<double>(s), l.grid_height, kLine);
  for (std::size_t t = 5; l.upright && t < panel.target.size(); t += 5)
    fmt::format_to(out, "<path d=\"M0 {:.4g}H{:.4g}\" stroke=\"{}\" stroke-width=\".5\"/>\n",
                   l.cell * static_cast<double>(t), l.grid_width, kLine);
  if (!panel.map.attention.has_weights()) {
    fmt::format_to(out, "<text x=\"10\" y=\"20\" font-size=\"12\" fill=\"{}\">this model has no attention</text>\n",
                   kSoftInk);
  } else {
    put_cells(out, panel, numbers);
    put_links(out, panel);
  }
  fmt::format_to(out, "</g>\n");
}

// The color bar from 0 to 1, and the meaning of the outlines.
void put_legend(Out out, double y, std::span<const Panel> panels) {
  constexpr int kSteps = 40;
  constexpr double kWidth = 120, kHeight = 8;
  fmt::format_to(out, "<g transform=\"translate({} {:.1f})\" font-size=\"10\" fill=\"{}\">\n", kMargin, y, kSoftInk);
  fmt::format_to(out, "<text y=\"{0}\">0</text>\n", kHeight);
  for (int i = 0; i < kSteps; ++i)
    fmt::format_to(out, "<rect x=\"{:.4g}\" width=\"{:.4g}\" height=\"{}\" fill=\"{}\"/>\n", 11 + kWidth * i / kSteps,
                   kWidth / kSteps + 0.3, kHeight, to_hex(color_of(i / (kSteps - 1.0), Ramp::paper)));
  fmt::format_to(out, "<text x=\"{}\" y=\"{}\">1 attention</text>\n", kWidth + 16, kHeight);
  const auto any = [&](bool sure) {
    return std::ranges::any_of(panels, [&](const Panel& panel) {
      return std::ranges::any_of(panel.map.links, [&](const alignment::Link& link) { return link.sure == sure; });
    });
  };
  double x = kWidth + 96;
  for (const bool sure : {true, false}) {
    if (!any(sure)) continue;
    fmt::format_to(out,
                   "<rect x=\"{:.4g}\" y=\"-1.5\" width=\"11\" height=\"11\" rx=\"2\" fill=\"none\" stroke=\"{}\" "
                   "stroke-width=\"1.6\"{}/><text x=\"{:.4g}\" y=\"{}\">{}</text>\n",
                   x, kGold, sure ? "" : " stroke-dasharray=\"2 2\"", x + 16, kHeight,
                   sure ? "gold alignment" : "possible");
    x += sure ? 100 : 80;
  }
  fmt::format_to(out, "</g>\n");
}

}  // namespace

void check_drawable(const text::AttentionMatrix& attention) {
  const std::size_t rows = attention.target.size(), columns = attention.source.size();
  check(!attention.has_weights() || attention.weights.size() == rows * columns,
        "a heatmap of {} by {} words has {} weights", rows, columns, attention.weights.size());
  const std::size_t longest = std::max(rows, columns);
  check<UsageError>(longest <= kMaxHeatmapWords,
                    "a sentence of {} words is too long to draw (at most {}); use JSON, which has no limit", longest,
                    kMaxHeatmapWords);
}

std::string heatmap_svg(std::span<const Heatmap> maps, bool numbers) {
  for (const Heatmap& map : maps) check_drawable(map.attention);
  const double cell = cell_size(maps, numbers);
  std::vector<Panel> panels;
  double width = 0, height = 0, base = 0;
  for (const Heatmap& map : maps) {
    Panel& panel =
        panels.emplace_back(Panel{map, clean_labels(map.attention.source), clean_labels(map.attention.target), {}});
    panel.at = lay_out(map, panel, cell);
    base = std::max(base, panel.at.heading + panel.at.above);
    width += panel.at.width + (panels.size() > 1 ? kGap : 0);
  }
  // The grids of all maps start at the same height.
  for (const Panel& panel : panels)
    height = std::max(height, panel.at.height + base - panel.at.heading - panel.at.above);
  width = std::max(width, 330.0) + 2 * kMargin;
  const double legend = kMargin + height + 18, total = legend + 8 + kMargin;

  std::string svg;
  const Out out(svg);
  fmt::format_to(out,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                 "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" font-family=\"{2}\" fill=\"{3}\">\n"
                 "<title>Attention: {4}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                 std::ceil(width), std::ceil(total), kFonts, kInk,
                 maps.empty() || maps[0].title.empty() ? "target words by source words"
                                                       : escape_markup(clean_label(maps[0].title)));
  double x = kMargin;
  for (Panel& panel : panels) {
    panel.at.above = base - panel.at.heading;
    fmt::format_to(out, "<g transform=\"translate({:.1f} {})\" font-size=\"{:.3g}\">\n", x, kMargin, panel.at.font);
    put_heading(out, panel.map);
    put_labels(out, panel);
    put_grid(out, panel, numbers);
    fmt::format_to(out, "</g>\n");
    x += panel.at.width + kGap;
  }
  put_legend(out, legend, panels);
  svg += "</svg>\n";
  return svg;
}

}  // namespace heed::viz
