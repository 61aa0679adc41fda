// heed compare: several models on one test set, side by side, in the terminal, as JSON, as a page or as a table.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/error.h"
#include "base/files.h"
#include "base/terminal.h"
#include "command.h"
#include "evaluate/comparison.h"
#include "evaluation_flags.h"
#include "model/model_path.h"
#include "viz/compare_page.h"
#include "viz/label.h"

namespace heed::cli {
namespace compare_command {

struct Values {
  std::vector<std::string> models, out;
  int sentences = 20;
  EvaluationFlags flags;
  metrics::ResamplingOptions resampling;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.models, "model files or run directories; the first is the baseline")
      .reads(model::model_files);
  declare(o, v.flags);
  o.flag("samples", v.resampling.bootstrap_samples, "number of bootstrap samples", range(1, 1e6));
  o.flag("trials", v.resampling.randomization_trials, "number of trials of the randomization test", range(1, 1e7));
  o.flag(
       "out", v.out,
       "write a page that also shows sentences with their attention (.html), or the results as a table (.csv, or .tex "
       "for LaTeX)")
      .value("FILE")
      .writes();
  o.flag("sentences", v.sentences, "number of sentences that the page shows", range(0, 1000));
}

bool is_page(const std::string& path) {
  return path.ends_with(".html");
}

std::vector<std::string> notes_of(const evaluate::Comparison& comparison, const Values& v) {
  std::vector<std::string> notes;
  if (comparison.models.size() > 1)
    notes.push_back(
        fmt::format("* differs significantly from the baseline: p < 0.05, approximate randomization ({} trials, seed "
                    "{}). Intervals cover 95% of {} bootstrap samples, which are paired for differences.",
                    v.resampling.randomization_trials, v.resampling.seed, v.resampling.bootstrap_samples));
  const auto names = short_names(comparison);
  for (std::string& note : scoring_notes(comparison.models, names, v.flags)) notes.push_back(std::move(note));
  const std::int64_t tokens = comparison.models.front().perplexity.tokens;
  if (std::ranges::any_of(comparison.models,
                          [&](const evaluate::Evaluation& e) { return e.perplexity.tokens != tokens; }))
    notes.emplace_back("The models tokenize the references differently, so their perplexities are not comparable.");
  return notes;
}

std::string figure_text(const evaluate::Comparison& comparison, const evaluate::ResultColumn& column, std::size_t k) {
  return column.text(k) + (column.metric && comparison.differs(k, *column.metric) ? "*" : "");
}

// A column of a table on the terminal; the first line is its head. `bold` has one entry per line.
struct ScreenColumn {
  std::vector<std::string> lines;
  std::vector<bool> bold;
  bool left = false;

  std::size_t width() const {
    std::size_t most = 0;
    for (const std::string& line : lines) most = std::max(most, viz::terminal_columns(line));
    return most;
  }
  std::string cell(std::size_t i, bool styled) const {
    const std::string space(width() - viz::terminal_columns(lines[i]), ' ');
    const std::string text = styled && bold[i] ? fmt::format("\x1b[1m{}\x1b[0m", lines[i]) : lines[i];
    return left ? text + space : space + text;
  }
  void add(std::string line, bool is_bold = false) {
    lines.push_back(std::move(line));
    bold.push_back(is_bold);
  }
};

// Columns that do not fit side by side follow in another block, which repeats the first one.
void print_columns(const std::vector<ScreenColumn>& columns) {
  const bool styled = may_style(STDOUT_FILENO);
  const std::size_t width = terminal_width(STDOUT_FILENO, 1000);
  for (std::size_t from = 1; from < columns.size();) {
    std::size_t to = from, used = columns[0].width();
    while (to < columns.size() && (to == from || used + 2 + columns[to].width() <= width))
      used += 2 + columns[to++].width();
    for (std::size_t i = 0; i < columns[0].lines.size(); ++i) {
      std::string line = columns[0].cell(i, styled);
      for (std::size_t c = from; c < to; ++c) line += "  " + columns[c].cell(i, styled);
      line.erase(line.find_last_not_of(' ') + 1);
      write_output(line + "\n");
    }
    write_output("\n");
    from = to;
  }
}

// The models by number, then one line per model.
void print_results(const evaluate::Comparison& comparison) {
  ScreenColumn numbers;
  numbers.add("");
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    numbers.add(std::to_string(k + 1));
    write_output("{}  {} ({}){}\n", k + 1, comparison.models[k].name, comparison.models[k].system,
                 k == 0 ? ", baseline" : "");
  }
  write_output("\n");
  std::vector<ScreenColumn> columns = {numbers};
  for (const evaluate::ResultColumn& column : result_columns(comparison)) {
    columns.emplace_back().add(column.label + (column.metric ? " " : ""));
    for (std::size_t k = 0; k < comparison.models.size(); ++k) {
      const bool star = column.metric && comparison.differs(k, *column.metric);
      columns.back().add(figure_text(comparison, column, k) + (column.metric && !star ? " " : ""), column.is_best(k));
    }
  }
  print_columns(columns);
}

// One table per metric: each score and its difference from the baseline, with their intervals.
void print_significance(const evaluate::Comparison& comparison) {
  const std::vector<evaluate::ResultColumn> results = result_columns(comparison);
  for (std::size_t m = 0; m < comparison.models.front().scores.size(); ++m) {
    ScreenColumn name{.left = true}, score, interval, difference, difference_interval, bootstrap, randomization;
    name.add(comparison.models.front().scores[m].metric->label());
    score.add("score");
    interval.add("95% interval");
    difference.add("difference");
    difference_interval.add("95% interval");
    bootstrap.add("p(bs)");
    randomization.add("p(ar)");
    for (std::size_t k = 0; k < comparison.models.size(); ++k) {
      const metrics::Interval& own = comparison.intervals[k][m];
      name.add(k == 0 ? "1 baseline" : std::to_string(k + 1));
      score.add(fmt::format("{:.2f}", comparison.models[k].scores[m].score()), results[m].is_best(k));
      interval.add(fmt::format("[{:.2f}, {:.2f}]", own.low, own.high));
      if (k == 0) {
        for (ScreenColumn* column : {&difference, &difference_interval, &bootstrap, &randomization}) column->add("");
        continue;
      }
      const metrics::SystemComparison& test = comparison.against_first[k - 1][m];
      difference.add(
          fmt::format("{:+.2f}{}", test.system_score - test.baseline_score, comparison.differs(k, m) ? "*" : " "));
      difference_interval.add(
          fmt::format("[{:+.2f}, {:+.2f}]", test.difference_interval.low, test.difference_interval.high));
      bootstrap.add(fmt::format("{:.4f}", test.bootstrap_p));
      randomization.add(fmt::format("{:.4f}", test.randomization_p));
    }
    std::vector<ScreenColumn> columns = {name, score, interval};
    if (comparison.models.size() > 1)
      columns.insert(columns.end(), {difference, difference_interval, bootstrap, randomization});
    print_columns(columns);
  }
}

void print_notes(const evaluate::Comparison& comparison, const Values& v) {
  for (const std::string& note : notes_of(comparison, v)) write_output("{}\n", note);
  if (comparison.models.size() > 1)
    write_output("p(bs): paired bootstrap resampling; p(ar): approximate randomization.\n");
  write_output("\n");
  for (const metrics::CorpusScore& score : comparison.models.front().scores)
    write_output("{:<8}  {}\n", score.metric->label(), signature(*score.metric, score.references));
  write_output("{:<8}  {}\n", "exact", comparison.models.front().exact_signature);
}

Json to_json(const evaluate::Comparison& comparison, const evaluate::TestSet& test,
             const metrics::ResamplingOptions& options) {
  Json models = Json::array();
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const evaluate::Evaluation& model = comparison.models[k];
    Json json = cli::to_json(model);
    for (std::size_t m = 0; m < model.scores.size(); ++m) {
      const std::string& metric = model.scores[m].name;
      json["intervals"][metric] = cli::to_json(comparison.intervals[k][m]);
      if (k > 0)
        json[metric]["against_first"] = significance_json(comparison.against_first[k - 1][m], model.scores[m], options);
    }
    models.push_back(std::move(json));
  }
  return {{"sentences", test.sources.size()}, {"models", models}};
}

viz::ComparePage::Metric metric_of(const evaluate::Comparison& comparison, std::size_t m) {
  const metrics::CorpusScore& first = comparison.models.front().scores[m];
  viz::ComparePage::Metric metric{first.metric->label(), signature(*first.metric, first.references), {}};
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const metrics::Interval& own = comparison.intervals[k][m];
    viz::ComparePage::Result& result = metric.results.emplace_back();
    result.score = {comparison.models[k].scores[m].score(), own.low, own.high};
    if (k == 0) continue;
    const metrics::SystemComparison& test = comparison.against_first[k - 1][m];
    result.difference = {test.system_score - test.baseline_score, test.difference_interval.low,
                         test.difference_interval.high};
    result.bootstrap_p = test.bootstrap_p;
    result.randomization_p = test.randomization_p;
    result.differs = comparison.differs(k, m);
  }
  return metric;
}

viz::ComparePage page_of(const evaluate::Comparison& comparison, const evaluate::TestSet& test, const Values& v) {
  viz::ComparePage page{.notes = notes_of(comparison, v), .lowercase = comparison.models.front().lowercase};
  page.facts = {
      {"Test set", fmt::format("{} and {}, {} sentences", v.flags.source, v.flags.reference, test.sources.size())},
      {"Beam", std::to_string(v.flags.translate.search.beam)},
      {"Date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))}};
  const std::vector<std::string> names = short_names(comparison);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const evaluate::Evaluation& model = comparison.models[k];
    page.models.push_back({.title = names[k], .subtitle = model.system == names[k] ? "" : model.system, .figures = {}});
    page.facts.push_back({k == 0 ? "Baseline" : fmt::format("Model {}", k + 1), model.name});
  }
  for (const evaluate::ResultColumn& column : result_columns(comparison)) {
    page.columns.push_back(column.label);
    for (std::size_t k = 0; k < names.size(); ++k)
      page.models[k].figures.push_back({figure_text(comparison, column, k), column.is_best(k),
                                        column.metric && comparison.differs(k, *column.metric)});
  }
  for (std::size_t m = 0; m < comparison.models.front().scores.size(); ++m)
    page.metrics.push_back(metric_of(comparison, m));
  for (std::size_t i = 0; i < comparison.models.front().maps.size(); ++i) {
    viz::ComparePage::Sentence sentence{.source = test.sources[i], .reference = test.references[i], .translations = {}};
    for (const evaluate::Evaluation& model : comparison.models)
      sentence.translations.push_back({.text = model.translations[i], .attention = model.maps[i]});
    page.sentences.push_back(std::move(sentence));
  }
  return page;
}

int run(Values& v, Options& options) {
  for (const std::string& path : v.out)
    check<UsageError>(is_page(path) || path.ends_with(".csv") || path.ends_with(".tex"),
                      "--out {}: the name must end in .html for a page, or in .csv or .tex for a table", path);
  const bool has_page = std::ranges::any_of(v.out, is_page);
  check<UsageError>(has_page || !options.is_set(&v.sentences),
                    "--sentences needs --out FILE.html, the page that shows them");
  evaluate::EvaluateOptions evaluate = evaluate_options(v.flags);
  const evaluate::TestSet test = read_test_set(v.flags, v.models.front());
  if (has_page) evaluate.maps = static_cast<std::size_t>(v.sentences);
  const evaluate::Comparison comparison = compare_files(v.models, test, evaluate, v.resampling);
  for (const std::string& path : v.out) {
    write_file_atomically(path, is_page(path)            ? viz::compare_page(page_of(comparison, test, v))
                                : path.ends_with(".csv") ? to_csv(comparison)
                                                         : to_latex(comparison));
    say("heed: wrote {}\n", path);
  }
  if (v.flags.json) {
    print_json(to_json(comparison, test, v.resampling));
  } else {
    print_results(comparison);
    print_significance(comparison);
    print_notes(comparison, v);
  }
  return 0;
}

}  // namespace compare_command

const Command kCompare{.name = "compare",
                       .group = "Evaluation",
                       .summary = "compare models on a test set: quality with significance tests, speed, size",
                       .example =
                           "heed train --preset luong-dot --out other --epochs 1 \\\n"
                           "  --train-source pocket.train.en --train-target pocket.train.de \\\n"
                           "  --set encoder.hidden=16 --set decoder.hidden=16\n"
                           "heed compare run/model.safetensors other/model.safetensors \\\n"
                           "  --source pocket.test.en --reference pocket.test.de --out compare.html --out table.tex",
                       .make = action<compare_command::Values, compare_command::declare, compare_command::run>};

}  // namespace heed::cli
