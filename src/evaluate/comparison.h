// Several models on one test set: scores with confidence intervals, and paired tests against the first model.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluate/evaluation.h"
#include "metrics/significance.h"

namespace heed::evaluate {

struct Comparison {
  std::vector<Evaluation> models;                         // the first is the baseline
  std::vector<std::vector<metrics::Interval>> intervals;  // intervals[k][m]: of model k's score by metric m
  // Paired tests of each other model against the first: against_first[k - 1][m] is model k by metric m.
  std::vector<std::vector<metrics::SystemComparison>> against_first;

  // Whether a model's score differs from the first model's, at p < 0.05 by approximate randomization.
  bool differs(std::size_t model, std::size_t metric) const {
    return model > 0 && against_first[model - 1][metric].randomization_p < 0.05;
  }
};

// Evaluates the models in these files, all in the same way: if `options.lowercase` is not set, case is ignored for all
// if one of them writes lower case only. All files are opened first, so that a bad one is reported before anything is
// translated.
Comparison compare_files(std::span<const std::string> paths, const TestSet& test, EvaluateOptions options,
                         const metrics::ResamplingOptions& resampling = {});

// Fills in intervals and against_first; all models must have been evaluated on the same test set by the same metrics.
void compare_to_first(Comparison& comparison, const metrics::ResamplingOptions& resampling = {});

// Short names for the models, all different: the directory of a model.safetensors, otherwise the name of the file
// without its ending; the paths themselves if two of these are equal.
std::vector<std::string> short_names(const Comparison& comparison);

// A column of the table of results.
struct ResultColumn {
  enum class Better { higher, lower, neither };

  std::string key;    // in CSV
  std::string label;  // on a screen or in print
  int decimals = 2;
  Better better = Better::higher;
  std::vector<std::optional<double>> values = {};  // one per model
  std::optional<std::size_t> metric = {};          // index in Evaluation::scores

  // Whether the model has the best value: not if all have the same one, or if values cannot be compared.
  bool is_best(std::size_t model) const;
  std::string text(std::size_t model) const;  // "–" if there is no value
};
// Scores, exact translations in percent, perplexity, AER if there are gold links, speed, parameters, size.
std::vector<ResultColumn> result_columns(const Comparison& comparison);

// The results as CSV (RFC 4180), one row per model with all digits: each column, and for each metric the interval, the
// difference from the first model with its interval, the p-values and the signature.
std::string to_csv(const Comparison& comparison);
// The results as a LaTeX table for the package booktabs: best values bold, significant differences starred, the
// signatures in comments.
std::string to_latex(const Comparison& comparison);

}  // namespace heed::evaluate
