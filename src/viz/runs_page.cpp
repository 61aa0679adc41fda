#include "viz/runs_page.h"

#include "base/error.h"
#include "viz/label.h"
#include "viz/page.h"

namespace heed::viz {

namespace {

// Smooths a noisy curve: at most `most` means of neighboring points.
std::vector<Curve::Point> averaged(const std::vector<Curve::Point>& points, std::size_t most) {
  const std::size_t every = std::max<std::size_t>((points.size() + most - 1) / most, 1);
  std::vector<Curve::Point> means;
  for (std::size_t from = 0; from < points.size(); from += every) {
    const std::size_t count = std::min(every, points.size() - from);
    Curve::Point sum{0, 0};
    for (std::size_t i = from; i < from + count; ++i) sum.x += points[i].x, sum.y += points[i].y;
    means.push_back({sum.x / static_cast<double>(count), sum.y / static_cast<double>(count)});
  }
  return means;
}

}  // namespace

std::vector<Chart> run_charts(std::span<const RunCurves> runs) {
  const auto chart = [&](const char* title, const char* kind, const char* key, bool log) {
    Chart all{.title = title, .curves = {}, .log = log, .labels = true};
    for (const RunCurves& run : runs)
      all.curves.push_back(
          {run.name, points_of(run.lines, kind, key), std::string_view(kind) == "validation", run.style, run.label});
    return all;
  };
  Chart loss = chart("Training loss per token", "update", "loss", false);
  constexpr std::size_t kMostMeans = 60;
  for (Curve& curve : loss.curves) curve.points = averaged(curve.points, kMostMeans);
  return {std::move(loss), chart("Validation perplexity", "validation", "perplexity", true),
          chart("Validation BLEU", "validation", "bleu", false),
          chart("Learning rate", "update", "learning_rate", false)};
}

std::string runs_page(const RunsPage& page) {
  Json rows = Json::array(), charts = Json::array(), columns = Json::array();
  for (const RunsPage::Row& row : page.rows) {
    check(row.figures.size() == page.columns.size(), "{} has {} figures for {} columns", row.name, row.figures.size(),
          page.columns.size());
    Json figures = Json::array();
    for (const std::string& figure : row.figures) figures.push_back(figure.empty() ? "" : clean_label(figure));
    rows.push_back({{"name", clean_label(row.name)},
                    {"classes", row.style ? Json(curve_classes(*row.style)) : Json()},
                    {"member", row.member},
                    {"figures", figures}});
  }
  for (const std::string& column : page.columns) columns.push_back(clean_label(column));
  for (const Chart& chart : page.charts) charts.push_back(chart_json(chart));
  return make_page(
      {.title = "Training runs",
       .lead = "This page compares training runs of heed: settings, results and curves. It needs JavaScript.",
       .scripts = {"chart", "chart_page", "runs"},
       .data = {{"columns", columns}, {"rows", rows}, {"charts", charts}}});
}

std::string runs_svg(const RunsPage& page) {
  std::vector<ChartKey> legend;
  for (const RunsPage::Row& row : page.rows)
    if (row.style) legend.push_back({row.name, *row.style});
  return charts_svg("Training runs", page.charts, legend);
}

}  // namespace heed::viz
