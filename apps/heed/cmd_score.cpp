// heed score: scores translations exactly as sacreBLEU does, with its signatures; --compare tests two systems.
#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/shared_options.h"
#include "base/utf8.h"
#include "command.h"
#include "metrics/significance.h"
#include "scored_files.h"

namespace heed::cli {
namespace score_command {

struct Values {
  std::string hypothesis, compare_path;
  std::vector<std::string> files, references, metric_names = {"bleu", "chrf", "ter"};
  bool sentence = false, json = false;
  metrics::MetricOptions metric_options;
  metrics::SmoothingValues smoothing;
  metrics::ResamplingOptions resampling;
  std::int64_t seed = 12345;
  Encoding encoding = Encoding::detect;
};

void declare(Options& o, Values& v) {
  o.positional("FILE", v.files, "the translations and one or more references, instead of --hypothesis and --reference",
               0)
      .reads();
  o.flag("hypothesis", v.hypothesis, "the translations, one per line").value("FILE").reads();
  o.flag("reference", v.references, "reference translations, one per line").value("FILE").reads();
  o.flag("metric", v.metric_names, "metrics to compute", choices(metrics::metric_names())).comma_separated();
  declare_tokenizer(o, v.metric_options);
  metrics::declare_lowercase(o, v.metric_options.lowercase);
  o.flag("compare", v.compare_path,
         "translations of a second system; differences are its scores minus those of --hypothesis")
      .value("FILE")
      .reads();
  o.flag("sentence", v.sentence, "also print a score per sentence");
  declare_encoding(o, v.encoding);
  declare_json(o, v.json);
  declare_variants(o, v.metric_options, v.smoothing);
  o.group("Significance");
  o.flag("samples", v.resampling.bootstrap_samples, "number of bootstrap samples for --compare", range(1, 1e6));
  o.flag("trials", v.resampling.randomization_trials, "number of randomization trials for --compare", range(1, 1e7));
  o.flag("seed", v.seed, "random seed of both tests", at_least(0));
}

// The hypothesis, the references, and the file of --compare if given.
std::vector<TextFile> read_files(const Values& v) {
  std::vector<TextFile> files = {read_text(v.hypothesis, v.encoding)};
  for (const std::string& path : v.references) files.push_back(read_text(path, v.encoding));
  if (!v.compare_path.empty()) files.push_back(read_text(v.compare_path, v.encoding));
  check_lines(files);
  for (std::size_t r = 1; r <= v.references.size(); ++r) check_reference(files[r]);
  print_notes(files);
  return files;
}

void print_sentences(const std::vector<metrics::CorpusScore>& all) {
  std::string head = fmt::format("{:>8}", "line");
  std::vector<std::vector<double>> scores;
  for (const metrics::CorpusScore& scored : all) {
    head += fmt::format("  {:>8}", scored.metric->label());
    scores.push_back(sentence_scores(scored));
  }
  write_output(head + "\n");
  for (std::size_t i = 0; i < all.front().sentence_statistics.rows(); ++i) {
    std::string row = fmt::format("{:>8}", i + 1);
    for (const auto& column : scores) row += fmt::format("  {:>8.2f}", column[i]);
    write_output(row + "\n");
  }
  write_output("\n");
}

Json comparison_json(const metrics::SystemComparison& result, const metrics::CorpusScore& scored,
                     const metrics::ResamplingOptions& options) {
  Json json = significance_json(result, scored, options);
  json["score"] = result.system_score;
  json["hypothesis_interval"] = to_json(result.baseline_interval);
  json["compare_interval"] = to_json(result.system_interval);
  return json;
}

void print_comparison(const metrics::SystemComparison& result, const metrics::Metric& metric) {
  const auto score = [](double value, const metrics::Interval& interval) {
    return fmt::format("{:.2f} ({:.2f} ± {:.2f})", value, interval.mean, interval.half_width);
  };
  const auto p = [](double value) { return fmt::format("{:.4f}{}", value, value < 0.05 ? "*" : ""); };
  write_output("{:<8}  {:<22}  {:<22}  {:>+10.2f}  {:<11}  {}\n", metric.label(),
               score(result.baseline_score, result.baseline_interval),
               score(result.system_score, result.system_interval), result.system_score - result.baseline_score,
               p(result.bootstrap_p), p(result.randomization_p));
}

void print_comparison_head() {
  write_output("{:<8}  {:<22}  {:<22}  {:>10}  {:<11}  {}\n", "", "--hypothesis", "--compare", "difference",
               "p bootstrap", "p randomization");
}

void print_comparison_foot(const metrics::ResamplingOptions& options) {
  write_output(
      "\nIn parentheses: mean and 95% interval over {} bootstrap samples. p is the probability that two equally\n"
      "good systems differ this much by chance, by paired bootstrap resampling and by approximate randomization\n"
      "({} trials), seed {}; * marks p < 0.05.\n\n",
      options.bootstrap_samples, options.randomization_trials, options.seed);
}

// Prints the comparison as a table, or adds it to the JSON.
void compare(const Values& v, const std::vector<metrics::CorpusScore>& scores,
             const std::vector<metrics::CorpusScore>& others, Json& json) {
  if (!v.json) print_comparison_head();
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const metrics::CorpusScore& scored = scores[i];
    const auto result =
        compare_systems(*scored.metric, scored.sentence_statistics, others[i].sentence_statistics, v.resampling);
    if (v.json)
      json[scored.name]["compare"] = comparison_json(result, scored, v.resampling);
    else
      print_comparison(result, *scored.metric);
  }
  if (!v.json) print_comparison_foot(v.resampling);
}

void take_files(Values& v) {
  if (!v.files.empty()) {
    check<UsageError>(
        v.hypothesis.empty() && v.references.empty(),
        "{} is given as an argument, but --hypothesis and --reference name files too; give the files only once",
        in_quotes(v.files.front()));
    v.hypothesis = v.files.front();
    v.references.assign(v.files.begin() + 1, v.files.end());
  }
  check<UsageError>(!v.hypothesis.empty(), "--hypothesis FILE is missing: the translations, one per line");
  check<UsageError>(!v.references.empty(), "--reference FILE is missing: reference translations, one per line");
}

int run(Values& v, Options& options) {
  take_files(v);
  check<UsageError>(!v.sentence || v.compare_path.empty(),
                    "--sentence and --compare cannot be combined; give only one of them");
  resolve(v.metric_options, v.smoothing, options);
  v.resampling.seed = static_cast<std::uint64_t>(v.seed);
  for (const std::string& name : v.metric_names) make_metric(name, v.metric_options);  // throws before anything is read

  std::vector<TextFile> files = read_files(v);
  metrics::References references;
  for (std::size_t r = 1; r <= v.references.size(); ++r) references.push_back(std::move(files[r].lines));
  const std::vector<metrics::CorpusScore> scores =
      score_corpus(v.metric_names, v.metric_options, files.front().lines, references);
  Json json = Json::object();
  if (v.json)
    for (const metrics::CorpusScore& scored : scores) json[scored.name] = to_json(scored, v.sentence);
  if (!v.json && v.sentence) print_sentences(scores);
  if (!v.compare_path.empty())
    compare(v, scores, score_corpus(v.metric_names, v.metric_options, files.back().lines, references), json);
  if (v.json) {
    json["lines"] = files.front().lines.size();
    print_json(json);
  } else {
    print_scores(scores);
  }
  return 0;
}

}  // namespace score_command

const Command kScore{.name = "score",
                     .group = "Evaluation",
                     .summary = "score translations with BLEU, chrF and TER, exactly as sacreBLEU does",
                     .example =
                         "echo 'The cat sat on a mat.' > output.txt\n"
                         "echo 'The cat sat on the mat.' > reference.txt\n"
                         "heed score --hypothesis output.txt --reference reference.txt",
                     .make = action<score_command::Values, score_command::declare, score_command::run>};

}  // namespace heed::cli
