// heed compare: several models on one test set, side by side.
#include <fmt/format.h>

#include "command.h"
#include "evaluation_screen.h"

namespace heed::cli {
namespace {

struct Values {
  std::vector<std::string> models;
  std::string source, reference;
  EvaluationFlags flags;
  ResamplingOptions resampling;
  bool json = false;
};

void declare(Options& o, Values& v) {
  o.positional("MODEL", v.models, "model files; the first is what the others are tested against");
  o.flag("source", v.source, "sentences to translate, one a line").required().value("FILE");
  o.flag("reference", v.reference, "what they should become, line by line").required().value("FILE");
  declare(o, v.flags);
  o.flag("samples", v.resampling.bootstrap_samples, "bootstrap samples", range(1, 1e6));
  o.flag("trials", v.resampling.randomisation_trials, "randomisation trials", range(1, 1e7));
  o.flag("json", v.json, "one JSON object");
}

// One line a model, names last: they may be long.
void print_table(const Comparison& comparison) {
  const Evaluation& first = comparison.models.front();
  std::string head = "   ";
  for (const CorpusScore& score : first.scores) head += fmt::format("{:>8} ", score.metric->label());
  head += "     ppl ";
  if (first.alignment) head += "    AER ";
  write_output(head + "  sent/s  tokens/s    parameters      MB  model\n");
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const Evaluation& model = comparison.models[k];
    std::string row = fmt::format("{:>2} ", k + 1);
    for (std::size_t m = 0; m < model.scores.size(); ++m)
      row += fmt::format("{:>8.2f}{}", model.scores[m].score(),
                         k > 0 && comparison.against_first[k - 1][m].randomisation_p < 0.05 ? "*" : " ");
    row += fmt::format("{:>8.2f} ", model.perplexity.value);
    if (first.alignment) row += model.alignment ? fmt::format("{:>7.2f} ", model.alignment->aer()) : "      - ";
    write_output(fmt::format("{}{:>8.1f}  {:>8.0f}  {:>12}  {:>6.1f}  {} ({})\n", row, model.sentences_per_second,
                             model.target_tokens_per_second, model.parameters,
                             static_cast<double>(model.file_bytes) / 1e6, model.name, model.system));
  }
}

void print_significance(const Comparison& comparison, const ResamplingOptions& options) {
  write_output("\n");
  for (std::size_t k = 1; k < comparison.models.size(); ++k) {
    const auto& results = comparison.against_first[k - 1];
    for (std::size_t m = 0; m < results.size(); ++m) {
      const SystemComparison& r = results[m];
      write_output(
          fmt::format("{} against 1: {:<8} {:>+6.2f}  95% interval {:.2f} ± {:.2f}  p "
                      "{:.4f} bootstrap, {:.4f} "
                      "randomisation\n",
                      k + 1, comparison.models[k].scores[m].metric->label(), r.system_score - r.baseline_score,
                      r.system_interval.mean, r.system_interval.half_width, r.bootstrap_p, r.randomisation_p));
    }
  }
  if (comparison.models.size() > 1)
    write_output(
        fmt::format("\n* differs from model 1 with p < 0.05 by approximate "
                    "randomisation ({} trials, seed {}).\n",
                    options.randomisation_trials, options.seed));
  bool same_tokens = true;
  for (const Evaluation& model : comparison.models)
    same_tokens = same_tokens && model.perplexity.tokens == comparison.models.front().perplexity.tokens;
  if (!same_tokens)
    write_output(
        "The models count other tokens in the references, so their "
        "perplexities do not compare.\n");
}

int run(Values& v, Options& /*options*/) {
  const TestSet test = read_test_set(v.source, v.reference, v.flags);
  Comparison comparison;
  for (const std::string& path : v.models)
    comparison.models.push_back(evaluate_file(path, test, evaluate_options(v.flags)));
  compare_to_first(comparison, v.resampling);
  if (!v.json) {
    print_table(comparison);
    print_significance(comparison, v.resampling);
    return 0;
  }
  Json models = Json::array();
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const Evaluation& model = comparison.models[k];
    Json json = to_json(model);
    for (std::size_t m = 0; k > 0 && m < model.scores.size(); ++m)
      json[model.scores[m].name]["against_first"] =
          significance_json(comparison.against_first[k - 1][m], model.scores[m], v.resampling);
    models.push_back(std::move(json));
  }
  write_output(dump_json({{"sentences", test.sources.size()}, {"models", models}}) + "\n");
  return 0;
}

}  // namespace

extern const Command kCompare;
const Command kCompare{.name = "compare",
                       .group = "Evaluation",
                       .summary =
                           "several models on one test set: quality with significance, "
                           "speed, size",
                       .example =
                           "heed compare run/model.safetensors demo/model.safetensors \\\n"
                           "  --source pocket.test.en --reference pocket.test.de",
                       .make = action<Values, declare, run>};

}  // namespace heed::cli
