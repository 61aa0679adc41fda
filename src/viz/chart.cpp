#include "viz/chart.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {
namespace {

constexpr double kChartWidth = 460, kChartHeight = 220, kLeft = 52, kChartMargin = 18, kTop = 8, kBottom = 26;
constexpr double kFont = 11, kLabelFont = 13;            // chart_page.css enlarges text on small screens
constexpr double kLabelSpacing = 12, kLongestName = 14;  // pixels, ems
constexpr std::size_t kMostPoints = 4000, kMostDots = 60;
constexpr double kLargest = 1e30, kLargestX = 1e15;  // larger numbers are not measurements

struct Tick {
  double value;
  std::string text;
};

struct EndLabel {
  std::size_t style;
  double y;  // in pixels
  std::string text;
};

struct ChartLayout {
  double right = kChartMargin;  // width to the right of the plot
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
  bool log = false;
  std::vector<Tick> x_ticks, y_ticks;
  std::vector<EndLabel> labels;
  std::vector<Curve> curves;  // without empty ones

  double px(double x) const { return kLeft + (x - x0) / (x1 - x0) * (kChartWidth - kLeft - right); }
  double py(double y) const {
    const double part = log ? std::log(y / y0) / std::log(y1 / y0) : (y - y0) / (y1 - y0);
    return kChartHeight - kBottom - part * (kChartHeight - kTop - kBottom);
  }
};

std::string tick_text(double x) {
  if (std::abs(x) >= 1e6) return fmt::format("{:.6g}M", x / 1e6);
  if (std::abs(x) >= 1e4) return fmt::format("{:.6g}k", x / 1e3);
  return fmt::format("{:.6g}", x);
}

// About `about` round numbers in [low, high].
std::vector<Tick> linear_ticks(double low, double high, int about) {
  const double rough = (high - low) / about, power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double k : {5.0, 2.5, 2.0, 1.0})
    if (k * power >= rough * 0.999) step = k * power;
  std::vector<Tick> ticks;
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i <= 3 * about && (first + i) * step <= high + step * 1e-9; ++i)
    ticks.push_back({(first + i) * step, tick_text((first + i) * step)});
  return ticks;
}

// 1, 2 and 5 times a power of ten, within [low, high]; if these are too many, only the powers.
std::vector<Tick> log_ticks(double low, double high) {
  constexpr std::size_t kMany = 7;
  std::vector<Tick> all, powers;
  for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
    for (const int k : {1, 2, 5}) {
      const double value = k * std::pow(10, power);
      if (value < low * 0.999999 || value > high * 1.000001) continue;
      all.push_back({value, tick_text(value)});
      if (k == 1) powers.push_back(all.back());
    }
  return all.size() > kMany ? thinned(powers, kMany) : all;
}

// Puts a label at the last point of each style and moves overlapping ones apart. No labels if there are too many.
void place_labels(ChartLayout& l) {
  std::vector<EndLabel>& labels = l.labels;
  for (const Curve& curve : l.curves)
    if (std::ranges::find(labels, curve.style, &EndLabel::style) == labels.end())
      labels.push_back({curve.style, l.py(curve.points.back().y), curve.label});
  const double low = kTop + kFont / 2, high = kChartHeight - kBottom;
  if (static_cast<double>(labels.size()) * kLabelSpacing > high - low) return labels.clear();
  std::ranges::stable_sort(labels, {}, &EndLabel::y);
  double least = low;
  for (EndLabel& label : labels) least = (label.y = std::max(label.y, least)) + kLabelSpacing;
  double most = high;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label)
    most = (label->y = std::min(label->y, most)) - kLabelSpacing;
}

// The curves that have points, thinned, with clean names.
std::vector<Curve> drawable(const Chart& chart) {
  const auto is_measured = [](const Curve::Point& p) {
    return std::abs(p.x) <= kLargestX && std::abs(p.y) <= kLargest;
  };
  std::vector<Curve> curves;
  for (Curve curve : chart.curves) {
    std::erase_if(curve.points, [&](const Curve::Point& p) { return !is_measured(p); });
    curve.points = thinned(curve.points, std::max<std::size_t>(200, kMostPoints / chart.curves.size()));
    curve.name = clean_label(curve.name);
    curve.label = shorten_to_ems(curve.label.empty() ? curve.name : clean_label(curve.label), kLongestName);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

// Empty if there is nothing to draw.
std::optional<ChartLayout> lay_out_chart(const Chart& chart) {
  ChartLayout l;
  l.curves = drawable(chart);
  if (l.curves.empty()) return {};
  l.x0 = l.x1 = l.curves[0].points[0].x;
  l.y0 = l.y1 = l.curves[0].points[0].y;
  double widest = 0;
  for (const Curve& curve : l.curves) {
    widest = std::max(widest, em_width(curve.label));
    for (const auto& [x, y] : curve.points) {
      l.x0 = std::min(l.x0, x), l.x1 = std::max(l.x1, x);
      l.y0 = std::min(l.y0, y), l.y1 = std::max(l.y1, y);
    }
  }
  if (chart.labels) l.right = widest * kLabelFont + 10;
  l.x1 = std::max(l.x1, l.x0 + 1);
  l.log = chart.log && l.y0 > 1 / kLargest && l.y1 / l.y0 > 8;
  if (!l.log && l.y0 > 0 && (chart.zero || l.y0 < 0.6 * l.y1)) l.y0 = 0;
  // Nearly equal values get a margin: smaller differences could not be drawn with the precision of a double.
  if (l.y1 - l.y0 <= 1e-9 * std::max(std::abs(l.y0), std::abs(l.y1))) {
    const double margin = l.y0 == 0 ? 1 : std::abs(l.y0) * 0.1;
    l.y0 -= l.y0 == 0 ? 0 : margin;
    l.y1 += margin;
  }
  l.y_ticks = l.log ? log_ticks(l.y0, l.y1) : linear_ticks(l.y0, l.y1, 4);
  l.x_ticks = linear_ticks(l.x0, l.x1, 5);
  std::erase_if(l.x_ticks, [](const Tick& tick) { return tick.value != std::round(tick.value); });
  if (chart.labels) place_labels(l);
  return l;
}

double six_digits(double number) {
  if (number == 0) return 0;
  const double unit = std::pow(10, 5 - std::floor(std::log10(std::abs(number))));
  return std::isfinite(unit) ? std::round(number * unit) / unit : number;
}

Json ticks_json(const std::vector<Tick>& ticks) {
  Json json = Json::array();
  for (const auto& [value, text] : ticks) json.push_back({value, text});
  return json;
}

using Out = std::back_insert_iterator<std::string>;

void put_axes(Out out, const ChartLayout& l) {
  const double end = kChartWidth - l.right, floor = kChartHeight - kBottom;
  for (const auto& [y, text] : l.y_ticks)
    fmt::format_to(
        out,
        "<path class=\"grid\" d=\"M{} {:.1f}H{:.1f}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
        kLeft, l.py(y), end, kLeft - 6, l.py(y) + 4, text);
  for (const auto& [x, text] : l.x_ticks)
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", l.px(x), kChartHeight - 8,
                   text);
  fmt::format_to(out, "<path class=\"axis\" d=\"M{} {}H{:.1f}\"/>\n", kLeft, floor, end);
}

void put_curves(Out out, const ChartLayout& l) {
  for (const Curve& curve : l.curves) {
    const std::string classes = curve_classes(curve.style);
    fmt::format_to(out, "<path class=\"line {}\" d=\"", classes);
    for (std::size_t i = 0; i < curve.points.size(); ++i)
      fmt::format_to(out, "{}{:.1f} {:.1f}", i == 0 ? 'M' : 'L', l.px(curve.points[i].x), l.py(curve.points[i].y));
    fmt::format_to(out, "\"><title>{}</title></path>\n", escape_markup(curve.name));
    if (!curve.dots || curve.points.size() > kMostDots) continue;
    for (const auto& [x, y] : curve.points)
      fmt::format_to(out, "<circle class=\"dot {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\"/>\n", classes, l.px(x),
                     l.py(y));
  }
  for (const EndLabel& label : l.labels)
    fmt::format_to(out, "<text class=\"label {}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", curve_classes(label.style),
                   kChartWidth - l.right + 5, label.y + 4, escape_markup(label.text));
}

}  // namespace

std::vector<Curve::Point> points_of(std::span<const Json> lines, std::string_view kind, const std::string& key) {
  std::vector<Curve::Point> points;
  for (const Json& line : lines) {
    const auto found = line.find("kind"), x = line.find("update"), y = line.find(key);
    if (found != line.end() && *found == kind && x != line.end() && y != line.end() && x->is_number() && y->is_number())
      points.push_back({x->get<double>(), y->get<double>()});
  }
  return points;
}

std::string curve_classes(std::size_t style) {
  return fmt::format("color{} dash{}", style % kCurveColors, style / kCurveColors % kCurveDashes);
}

Json chart_json(const Chart& chart) {
  const std::optional<ChartLayout> layout = lay_out_chart(chart);
  if (!layout) return {};
  Json curves = Json::array(), labels = Json::array();
  for (const Curve& curve : layout->curves) {
    Json points = Json::array();
    for (const auto& [x, y] : curve.points) points.push_back({x, six_digits(y)});
    curves.push_back({{"name", curve.name},
                      {"classes", curve_classes(curve.style)},
                      {"dots", curve.dots && curve.points.size() <= kMostDots},
                      {"points", points}});
  }
  for (const EndLabel& label : layout->labels)
    labels.push_back({{"classes", curve_classes(label.style)}, {"y", label.y}, {"text", label.text}});
  return {{"title", clean_label(chart.title)},
          {"box", {kChartWidth, kChartHeight, kLeft, layout->right, kTop, kBottom}},
          {"x", {layout->x0, layout->x1}},
          {"y", {layout->y0, layout->y1}},
          {"log", layout->log},
          {"x_ticks", ticks_json(layout->x_ticks)},
          {"y_ticks", ticks_json(layout->y_ticks)},
          {"curves", curves},
          {"labels", labels}};
}

std::string charts_svg(const std::string& title, std::span<const Chart> charts, std::span<const ChartKey> legend) {
  constexpr double kEdge = 16, kGap = 24, kHeading = 24, kLine = 18, kSample = 26;
  const double across = 2 * kChartWidth + kGap;
  std::string body;
  const Out out(body);
  double x = 0, y = kEdge + kLine;
  fmt::format_to(out, "<text class=\"heading\" x=\"{}\" y=\"{}\">{}</text>\n", kEdge, y - 4,
                 escape_markup(clean_label(title)));
  y += kLine;
  for (const ChartKey& key : legend) {
    const std::string name = shorten_to_ems(clean_label(key.name), 40);
    const double width = kSample + 6 + em_width(name) * 12 + 18;
    if (x > 0 && x + width > across) x = 0, y += kLine;
    fmt::format_to(out, "<path class=\"line {}\" d=\"M{:.1f} {}h{}\"/><text x=\"{:.1f}\" y=\"{}\">{}</text>\n",
                   curve_classes(key.style), kEdge + x, y - 4, kSample, kEdge + x + kSample + 6, y,
                   escape_markup(name));
    x += width;
  }
  y += kEdge;
  std::size_t drawn = 0;
  for (const Chart& chart : charts) {
    const std::optional<ChartLayout> layout = lay_out_chart(chart);
    if (!layout) continue;
    const double left = kEdge + (drawn % 2 == 0 ? 0 : kChartWidth + kGap);
    if (drawn > 0 && drawn % 2 == 0) y += kHeading + kChartHeight;
    ++drawn;
    fmt::format_to(out, "<g transform=\"translate({} {:.1f})\">\n<text class=\"title\" y=\"14\">{}</text>\n", left, y,
                   escape_markup(clean_label(chart.title)));
    fmt::format_to(out, "<g transform=\"translate(0 {})\">\n", kHeading);
    put_axes(out, *layout);
    put_curves(out, *layout);
    fmt::format_to(out, "</g></g>\n");
  }
  const double width = across + 2 * kEdge, height = y + (drawn > 0 ? kHeading + kChartHeight : 0) + kEdge;
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
      width, height, escape_markup(clean_label(title)), page_file("chart.css"), body);
}

}  // namespace heed::viz
