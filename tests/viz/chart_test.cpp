#include "viz/chart.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "viz/page.h"
#include "viz/runs_page.h"

namespace heed::viz {
namespace {

Chart chart_of(std::vector<Curve::Point> points, bool log = false) {
  return {.title = "t", .curves = {{"a", std::move(points)}}, .log = log};
}

std::vector<std::string> tick_texts(const Json& ticks) {
  std::vector<std::string> texts;
  for (const Json& tick : ticks) texts.push_back(tick[1]);
  return texts;
}

TEST(Charts, HaveRoundTicks) {
  const Json chart = chart_json(chart_of({{1, 0.5}, {20000, 3.9}}));
  EXPECT_EQ(tick_texts(chart["y_ticks"]), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(tick_texts(chart["x_ticks"]), (std::vector<std::string>{"5000", "10k", "15k", "20k"}));
  const Json log = chart_json(chart_of({{1, 9}, {2, 1000}}, true));
  EXPECT_TRUE(log["log"]);
  EXPECT_EQ(tick_texts(log["y_ticks"]), (std::vector<std::string>{"10", "20", "50", "100", "200", "500", "1000"}));
  EXPECT_FALSE(chart_json(chart_of({{1, 0}, {2, 1000}}, true))["log"]);
}

TEST(Charts, LeaveOutWhatIsNoNumber) {
  const double infinite = std::numeric_limits<double>::infinity();
  const Json chart = chart_json(chart_of({{1, NAN}, {2, 4}, {3, infinite}, {infinite, 3}, {5, 1e300}}));
  EXPECT_EQ(chart["curves"][0]["points"], Json::parse("[[2.0,4.0]]"));
  EXPECT_TRUE(chart_json(chart_of({{1, NAN}})).is_null());
  EXPECT_TRUE(chart_json({.title = "t", .curves = {}}).is_null());
}

// Neither endless loops nor ticks without end.
TEST(Charts, SurviveExtremeNumbers) {
  const std::vector<double> numbers{0,    1e-300,     -1e-300, 1e-30,     1e30, -1e30,
                                    1e20, 1e20 + 1e5, 1,       1 + 1e-15, 1e15, 1e15 + 1};
  for (const double a : numbers)
    for (const double b : numbers)
      for (const bool log : {false, true}) {
        const Json chart = chart_json(chart_of({{a, b}, {b, a}}, log));
        EXPECT_LE(chart["x_ticks"].size() + chart["y_ticks"].size(), 90U) << a << " " << b;
      }
}

TEST(Charts, LabelEachStyleOnceAndApart) {
  Chart chart{.title = "t", .curves = {}, .labels = true};
  for (std::size_t i = 0; i < 10; ++i)
    chart.curves.push_back({fmt::format("run {}", i), {{1, 1}, {2, 1}}, false, i / 2, fmt::format("group {}", i / 2)});
  const Json labels = chart_json(chart)["labels"];
  ASSERT_EQ(labels.size(), 5U);
  for (std::size_t i = 1; i < labels.size(); ++i)
    EXPECT_GE(labels[i]["y"].get<double>() - labels[i - 1]["y"].get<double>(), 11.9);
  EXPECT_EQ(labels[0]["text"], "group 0");
  for (std::size_t i = 0; i < 40; ++i) chart.curves.push_back({"x", {{1, 1}}, false, i});
  EXPECT_TRUE(chart_json(chart)["labels"].empty());  // they would overlap
}

TEST(Charts, AreSafeInSvg) {
  const std::string hostile = "</style><script>alert(1)</script>&\x01";
  Chart chart = chart_of({{1, 1}, {2, 2}});
  chart.title = chart.curves[0].name = hostile;
  chart.labels = true;
  const std::string svg = charts_svg(hostile, std::vector{chart}, std::vector<ChartKey>{{hostile, 0}});
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_EQ(svg.find('\x01'), svg.npos);
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), svg.npos);
}

TEST(Charts, DrawALineThroughThePoints) {
  const std::string svg = charts_svg("t", std::vector{chart_of({{0, 0}, {1, 0.5}, {2, 1}})}, {});
  EXPECT_NE(svg.find("d=\"M52.0 194.0L247.0 101.0L442.0 8.0\""), svg.npos);
}

TEST(RunCharts, AverageTheNoisyLoss) {
  std::vector<Json> lines;
  for (int i = 1; i <= 600; ++i) lines.push_back({{"kind", "update"}, {"update", i}, {"loss", i % 2 == 0 ? 1.0 : 3.0}});
  const std::vector<Chart> charts = run_charts(std::vector<RunCurves>{{"a", "a", 0, lines}});
  const std::vector<Curve::Point>& loss = charts.at(0).curves.at(0).points;
  EXPECT_EQ(loss.size(), 60U);
  for (const Curve::Point& point : loss) EXPECT_DOUBLE_EQ(point.y, 2);
  EXPECT_TRUE(charts.at(1).curves.at(0).points.empty());
}

// --- Colors ---

using Triple = std::array<double, 3>;

Triple product(const std::array<Triple, 3>& matrix, const Triple& v) {
  Triple result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) result[i] += matrix[i][j] * v[j];
  return result;
}

// Linear sRGB to OKLab (Ottosson 2020).
Triple oklab(const Triple& rgb) {
  Triple lms = product({{{0.4122214708, 0.5363325363, 0.0514459929},
                         {0.2119034982, 0.6806995451, 0.1073969566},
                         {0.0883024619, 0.2817188376, 0.6299787005}}},
                       rgb);
  for (double& x : lms) x = std::cbrt(std::max(x, 0.0));
  return product({{{0.2104542553, 0.7936177850, -0.0040720468},
                   {1.9779984951, -2.4285922050, 0.4505937099},
                   {0.0259040371, 0.7827717662, -0.8086757660}}},
                 lms);
}

// Normal vision, and complete protanopia, deuteranopia and tritanopia (Machado, Oliveira and Fernandes 2009).
constexpr std::array<std::array<Triple, 3>, 4> kEyes{{
    {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}},
}};

// The colors of the curves in linear sRGB, from a part of chart.css.
std::vector<Triple> curve_colors(std::string_view css) {
  std::vector<Triple> colors;
  for (std::size_t i = 0; i < kCurveColors; ++i) {
    const std::size_t at = css.find(fmt::format(".color{} {{ color: #", i));
    EXPECT_NE(at, css.npos) << i;
    Triple color{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = std::stoi(std::string(css.substr(at + 18 + 2 * k, 2)), nullptr, 16) / 255.0;
      color[k] = x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
    }
    colors.push_back(color);
  }
  return colors;
}

// 0.02 is the smallest difference that people see side by side.
TEST(CurveColors, DifferForEveryKindOfColorVision) {
  const std::string_view css = page_file("chart.css");
  const std::size_t dark = css.find("@media");
  for (const std::string_view part : {css.substr(0, dark), css.substr(dark)}) {
    const std::vector<Triple> colors = curve_colors(part);
    for (std::size_t a = 0; a < colors.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (std::size_t eye = 0; eye < kEyes.size(); ++eye) {
          const Triple x = oklab(product(kEyes[eye], colors[a])), y = oklab(product(kEyes[eye], colors[b]));
          EXPECT_GT(std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]), 0.12) << a << ", " << b << ", eye " << eye;
        }
  }
}

TEST(CurveStyles, RepeatTheColorsWithDashes) {
  EXPECT_EQ(curve_classes(0), "color0 dash0");
  EXPECT_EQ(curve_classes(7), "color1 dash1");
  EXPECT_EQ(curve_classes(18), "color0 dash0");
}

}  // namespace
}  // namespace heed::viz
