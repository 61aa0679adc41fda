#include "evaluate/comparison.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>

#include "base/numbers.h"

namespace heed::evaluate {

Comparison compare_files(std::span<const std::string> paths, const TestSet& test, EvaluateOptions options,
                         const metrics::ResamplingOptions& resampling) {
  std::deque<translate::Translator> translators;
  for (const std::string& path : paths) translators.emplace_back(path);
  if (!options.lowercase)
    options.lowercase = std::ranges::any_of(translators, [](const translate::Translator& translator) {
      return translator.pipeline().config().writes_lower_case();
    });
  Comparison comparison;
  for (std::size_t k = 0; k < paths.size(); ++k)
    comparison.models.push_back(evaluate_file(translators[k], paths[k], test, options));
  std::set<std::string> names;
  for (const Evaluation& model : comparison.models) names.insert(model.name);
  if (names.size() < comparison.models.size())  // runs of the same name in different directories
    for (std::size_t k = 0; k < paths.size(); ++k) comparison.models[k].name = paths[k];
  compare_to_first(comparison, resampling);
  return comparison;
}

void compare_to_first(Comparison& comparison, const metrics::ResamplingOptions& resampling) {
  comparison.intervals.clear();
  comparison.against_first.clear();
  for (std::size_t k = 0; k < comparison.models.size(); ++k) {
    const auto &first = comparison.models[0].scores, &other = comparison.models[k].scores;
    check(first.size() == other.size(), "evaluations by {} and {} metrics", first.size(), other.size());
    std::vector<metrics::Interval>& intervals = comparison.intervals.emplace_back();
    for (const metrics::CorpusScore& score : other)
      intervals.push_back(bootstrap_interval(*score.metric, score.sentence_statistics, resampling));
    if (k == 0) continue;
    std::vector<metrics::SystemComparison>& tests = comparison.against_first.emplace_back();
    for (std::size_t m = 0; m < first.size(); ++m)
      tests.push_back(
          compare_systems(*first[m].metric, first[m].sentence_statistics, other[m].sentence_statistics, resampling));
  }
}

std::vector<std::string> short_names(const Comparison& comparison) {
  std::vector<std::string> names, paths;
  for (const Evaluation& model : comparison.models) {
    const std::filesystem::path path = std::filesystem::path(model.name).lexically_normal();
    const std::string directory = path.parent_path().filename().string();
    names.push_back(path.filename() == "model.safetensors" && !directory.empty() ? directory : path.stem().string());
    paths.push_back(model.name);
  }
  return std::set(names.begin(), names.end()).size() == names.size() ? names : paths;
}

bool ResultColumn::is_best(std::size_t model) const {
  if (better == Better::neither || !values[model]) return false;
  const auto worse = [&](double a, double b) { return better == Better::higher ? a < b : a > b; };
  bool beats_one = false;
  for (const std::optional<double>& other : values) {
    if (!other) continue;
    if (worse(*values[model], *other)) return false;
    beats_one |= worse(*other, *values[model]);
  }
  return beats_one;
}

std::string ResultColumn::text(std::size_t model) const {
  if (!values[model]) return "–";
  return decimals == 0 ? grouped(static_cast<std::int64_t>(*values[model]))
                       : fmt::format("{:.{}f}", *values[model], decimals);
}

std::vector<ResultColumn> result_columns(const Comparison& comparison) {
  using Better = ResultColumn::Better;
  const auto& models = comparison.models;
  std::vector<ResultColumn> columns;
  for (std::size_t m = 0; m < models.front().scores.size(); ++m) {
    const metrics::CorpusScore& score = models.front().scores[m];
    columns.push_back({.key = score.name,
                       .label = score.metric->label(),
                       .better = score.metric->lower_is_better() ? Better::lower : Better::higher,
                       .metric = m});
    for (const Evaluation& model : models) columns.back().values.emplace_back(model.scores[m].score());
  }
  const auto add = [&](ResultColumn column, auto value) {
    for (const Evaluation& model : models) column.values.push_back(value(model));
    columns.push_back(std::move(column));
  };
  const auto real = [](auto number) { return std::optional(static_cast<double>(number)); };
  const auto same_tokens = [&](const Evaluation& model) {
    return model.perplexity.tokens == models.front().perplexity.tokens;
  };
  add({.key = "exact_percent", .label = "exact", .decimals = 1}, [&](const Evaluation& model) {
    return real(100.0 * static_cast<double>(model.exact) / static_cast<double>(model.translations.size()));
  });
  add({.key = "perplexity",
       .label = "ppl",
       .better = std::ranges::all_of(models, same_tokens) ? Better::lower : Better::neither},
      [&](const Evaluation& model) { return real(model.perplexity.value); });
  if (std::ranges::any_of(models, [](const Evaluation& model) { return model.alignment.has_value(); }))
    add({.key = "aer", .label = "AER", .better = Better::lower},
        [&](const Evaluation& model) { return model.alignment ? real(model.alignment->aer()) : std::nullopt; });
  add({.key = "sentences_per_second", .label = "sent/s", .decimals = 1},
      [&](const Evaluation& model) { return real(model.sentences_per_second); });
  add({.key = "target_tokens_per_second", .label = "tokens/s", .decimals = 0},
      [&](const Evaluation& model) { return real(model.target_tokens_per_second); });
  add({.key = "parameters", .label = "params", .decimals = 0, .better = Better::neither},
      [&](const Evaluation& model) { return real(model.parameters); });
  add({.key = "megabytes", .label = "MB", .decimals = 1, .better = Better::neither},
      [&](const Evaluation& model) { return real(static_cast<double>(model.file_bytes) / 1e6); });
  return columns;
}

}  // namespace heed::evaluate
