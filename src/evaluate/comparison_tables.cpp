// The results of a comparison for spreadsheets and papers.
#include <algorithm>

#include "base/csv.h"
#include "evaluate/comparison.h"

namespace heed::evaluate {
namespace {

std::string latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';  // and the character
        [[fallthrough]];
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string to_csv(const Comparison& comparison) {
  const auto number = [](double value) { return fmt::format("{}", value); };
  const std::vector<ResultColumn> columns = result_columns(comparison);
  std::vector<std::string> head = {"model", "system", "baseline"};
  for (const ResultColumn& column : columns) {
    head.push_back(column.key);
    if (!column.metric) continue;
    for (const char* of_metric : {"low", "high", "difference", "difference_low", "difference_high", "p_bootstrap",
                                  "p_randomization", "signature"})
      head.push_back(fmt::format("{}_{}", column.key, of_metric));
  }
  std::string out = csv_row(head) + "\r\n";
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const Evaluation& model = comparison.models[k];
    std::vector<std::string> row = {model.name, model.system, k == 0 ? "yes" : "no"};
    for (const ResultColumn& column : columns) {
      row.push_back(column.values[k] ? number(*column.values[k]) : "");
      if (!column.metric) continue;
      const std::size_t m = *column.metric;
      row.insert(row.end(), {number(comparison.intervals[k][m].low), number(comparison.intervals[k][m].high)});
      if (k == 0) {
        row.insert(row.end(), 5, "");
      } else {
        const metrics::SystemComparison& test = comparison.against_first[k - 1][m];
        for (const double value : {test.system_score - test.baseline_score, test.difference_interval.low,
                                   test.difference_interval.high, test.bootstrap_p, test.randomization_p})
          row.push_back(number(value));
      }
      row.push_back(signature(*model.scores[m].metric, model.scores[m].references));
    }
    out += csv_row(row) + "\r\n";
  }
  return out;
}

std::string to_latex(const Comparison& comparison) {
  const std::vector<ResultColumn> columns = result_columns(comparison);
  const std::vector<std::string> names = short_names(comparison);
  std::string out = "% Needs \\usepackage{booktabs}. Bold: best value of a column.\n";
  for (const metrics::CorpusScore& score : comparison.models.front().scores)
    out += fmt::format("% {}: {}\n", score.metric->label(), signature(*score.metric, score.references));
  if (comparison.models.size() > 1)
    out += "% *: differs from the baseline, the first row, at p < 0.05 by approximate randomization.\n";
  out += fmt::format("\\begin{{tabular}}{{l{}}}\n\\toprule\nModel", std::string(columns.size(), 'r'));
  for (const ResultColumn& column : columns) out += " & " + latex(column.label);
  out += " \\\\\n\\midrule\n";
  for (std::size_t k = 0; k < names.size(); ++k) {
    out += latex(names[k]);
    for (const ResultColumn& column : columns) {
      const std::string text = column.values[k] ? column.text(k) : "--";
      out += column.is_best(k) ? fmt::format(" & \\textbf{{{}}}", text) : " & " + text;
      if (column.metric && comparison.differs(k, *column.metric)) out += "$^{*}$";
    }
    out += " \\\\\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace heed::evaluate
