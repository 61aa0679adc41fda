// Compares training runs: a table, and charts with the curves of all runs, as a self-contained HTML file or an SVG
// document. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "viz/chart.h"

namespace heed::viz {

struct RunsPage {
  struct Row {
    std::string name;
    std::optional<std::size_t> style;  // of its curves, if it has curves of its own
    bool member = false;               // belongs to the group of a row above
    std::vector<std::string> figures;  // one per column, formatted
  };
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<Chart> charts;
};

std::string runs_page(const RunsPage& page);
std::string runs_svg(const RunsPage& page);

// Charts with the curves of several runs: training loss (means of neighboring lines, because it is noisy), validation
// perplexity, BLEU and learning rate by update. Runs of the same style share a color and a label.
struct RunCurves {
  std::string name, label;
  std::size_t style = 0;
  std::span<const Json> lines;  // of metrics.jsonl
};
std::vector<Chart> run_charts(std::span<const RunCurves> runs);

}  // namespace heed::viz
