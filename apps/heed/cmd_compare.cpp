// heed compare: several models on one test set, side by side, in the terminal, as JSON or as a page.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"
#include "command.h"
#include "evaluation_screen.h"
#include "model/model_path.h"
#include "viz/compare_page.h"

namespace heed::cli {
namespace compare_command {

struct Values {
  std::vector<std::string> models;
  std::string out;
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
  o.flag("out", v.out, "write a page that also shows sentences with their attention").value("FILE.html").writes();
  o.flag("sentences", v.sentences, "number of sentences that the page shows", range(0, 1000));
}

// A model's score, starred if it differs from the first model's.
std::string score_text(const evaluate::Comparison& comparison, std::size_t model, std::size_t metric) {
  return fmt::format("{:.2f}{}", comparison.models[model].scores[metric].score(),
                     comparison.differs(model, metric) ? "*" : "");
}

double megabytes(const evaluate::Evaluation& model) {
  return static_cast<double>(model.file_bytes) / 1e6;
}

std::vector<std::string> notes_of(const evaluate::Comparison& comparison, const metrics::ResamplingOptions& options) {
  std::vector<std::string> notes;
  if (comparison.models.size() > 1)
    notes.push_back(
        fmt::format("* differs significantly from model 1: p < 0.05, approximate randomization ({} trials, seed {}).",
                    options.randomization_trials, options.seed));
  const std::int64_t tokens = comparison.models.front().perplexity.tokens;
  if (std::ranges::any_of(comparison.models,
                          [&](const evaluate::Evaluation& e) { return e.perplexity.tokens != tokens; }))
    notes.emplace_back("The models tokenize the references differently, so their perplexities are not comparable.");
  return notes;
}

// One line per model, with the name last because it may be long.
void print_table(const evaluate::Comparison& comparison) {
  const evaluate::Evaluation& first = comparison.models.front();
  const bool aligned =
      std::ranges::any_of(comparison.models, [](const evaluate::Evaluation& e) { return !!e.alignment; });
  std::string head = "   ";
  for (const metrics::CorpusScore& score : first.scores) head += fmt::format("{:>8} ", score.metric->label());
  write_output("{}     ppl{}    sent/s  tokens/s    parameters      MB  model\n", head, aligned ? "     AER" : "");
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const evaluate::Evaluation& model = comparison.models[k];
    std::string row = fmt::format("{:>2} ", k + 1);
    for (std::size_t m = 0; m < model.scores.size(); ++m)
      row += fmt::format("{:>9}", score_text(comparison, k, m) + (comparison.differs(k, m) ? "" : " "));
    row += fmt::format("{:>8.2f}", model.perplexity.value);
    if (aligned) row += model.alignment ? fmt::format("{:>8.2f}", model.alignment->aer()) : "       -";
    write_output("{}  {:>8.1f}  {:>8.0f}  {:>12}  {:>6.1f}  {} ({})\n", row, model.sentences_per_second,
                 model.target_tokens_per_second, model.parameters, megabytes(model), model.name, model.system);
  }
}

void print_significance(const evaluate::Comparison& comparison, const metrics::ResamplingOptions& options) {
  for (std::size_t k = 1; k < comparison.models.size(); ++k) {
    write_output("\n{0} against 1  difference  95% interval of {0}  p bootstrap  p randomization\n", k + 1);
    for (std::size_t m = 0; m < comparison.models[k].scores.size(); ++m) {
      const metrics::SystemComparison& r = comparison.against_first[k - 1][m];
      const std::string interval = fmt::format("{:.2f} ± {:.2f}", r.system_interval.mean, r.system_interval.half_width);
      write_output("{:<11}  {:>+10.2f}  {:<17}  {:<11.4f}  {:.4f}\n", comparison.models[k].scores[m].metric->label(),
                   r.system_score - r.baseline_score, interval, r.bootstrap_p, r.randomization_p);
    }
  }
  for (const std::string& note : notes_of(comparison, options)) write_output("\n{}\n", note);
}

Json to_json(const evaluate::Comparison& comparison, const evaluate::TestSet& test,
             const metrics::ResamplingOptions& options) {
  Json models = Json::array();
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const evaluate::Evaluation& model = comparison.models[k];
    Json json = cli::to_json(model);
    for (std::size_t m = 0; k > 0 && m < model.scores.size(); ++m)
      json[model.scores[m].name]["against_first"] =
          significance_json(comparison.against_first[k - 1][m], model.scores[m], options);
    models.push_back(std::move(json));
  }
  return {{"sentences", test.sources.size()}, {"models", models}};
}

// The same table, and each model's translations of the sentences.
viz::ComparePage page_of(const evaluate::Comparison& comparison, const evaluate::TestSet& test,
                         const metrics::ResamplingOptions& options) {
  viz::ComparePage page;
  for (const metrics::CorpusScore& score : comparison.models.front().scores)
    page.columns.push_back(score.metric->label());
  page.columns.insert(page.columns.end(), {"perplexity", "AER", "sentences/s", "parameters", "MB"});
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const evaluate::Evaluation& model = comparison.models[k];
    viz::ComparePage::Model shown{.title = model.name, .subtitle = model.system, .figures = {}};
    for (std::size_t m = 0; m < model.scores.size(); ++m) shown.figures.push_back(score_text(comparison, k, m));
    shown.figures.push_back(fmt::format("{:.2f}", model.perplexity.value));
    shown.figures.push_back(model.alignment ? fmt::format("{:.2f}", model.alignment->aer()) : "–");
    shown.figures.push_back(fmt::format("{:.1f}", model.sentences_per_second));
    shown.figures.push_back(grouped(model.parameters));
    shown.figures.push_back(fmt::format("{:.1f}", megabytes(model)));
    page.models.push_back(std::move(shown));
  }
  page.notes = notes_of(comparison, options);
  for (std::size_t i = 0; i < comparison.models.front().maps.size(); ++i) {
    viz::ComparePage::Sentence sentence{.source = test.sources[i], .reference = test.references[i], .translations = {}};
    for (const evaluate::Evaluation& model : comparison.models)
      sentence.translations.push_back({.text = model.translations[i], .attention = model.maps[i]});
    page.sentences.push_back(std::move(sentence));
  }
  return page;
}

int run(Values& v, Options& options) {
  check<UsageError>(v.out.empty() || v.out.ends_with(".html"),
                    "--out {}: the page is HTML, so its name must end in .html", v.out);
  check<UsageError>(!v.out.empty() || !options.is_set(&v.sentences),
                    "--sentences needs --out, the page that shows them");
  const evaluate::TestSet test = read_test_set(v.flags);
  evaluate::EvaluateOptions evaluate = evaluate_options(v.flags);
  if (!v.out.empty()) evaluate.maps = static_cast<std::size_t>(v.sentences);
  evaluate::Comparison comparison;
  for (const std::string& path : v.models) comparison.models.push_back(evaluate_file(path, test, evaluate));
  compare_to_first(comparison, v.resampling);
  if (!v.out.empty()) write_file_atomically(v.out, viz::compare_page(page_of(comparison, test, v.resampling)));
  if (v.flags.json) {
    print_json(to_json(comparison, test, v.resampling));
  } else {
    print_table(comparison);
    print_significance(comparison, v.resampling);
  }
  return 0;
}

}  // namespace compare_command

const Command kCompare{.name = "compare",
                       .group = "Evaluation",
                       .summary = "compare models on a test set: quality with significance, speed, size",
                       .example =
                           "heed train --preset luong-dot --out other --epochs 1 \\\n"
                           "  --train-source pocket.train.en --train-target pocket.train.de \\\n"
                           "  --set encoder.hidden=16 --set decoder.hidden=16\n"
                           "heed compare run/model.safetensors other/model.safetensors \\\n"
                           "  --source pocket.test.en --reference pocket.test.de --out compare.html",
                       .make = action<compare_command::Values, compare_command::declare, compare_command::run>};

}  // namespace heed::cli
