// Is one system significantly better than another? Paired tests on the statistics of the same sentences, as sacreBLEU
// defines them: bootstrap (Koehn, 2004) and approximate randomization (Riezler and Maxwell, 2005). The same seed gives
// the same numbers. The random numbers are not those of numpy, so p-values differ from sacreBLEU's by chance.
#pragma once

#include <cstdint>

#include "metrics/metric.h"

namespace heed::metrics {

struct ResamplingOptions {
  std::int64_t bootstrap_samples = 1000;
  std::int64_t randomization_trials = 10000;
  std::uint64_t seed = 12345;
};

// The 95% confidence interval of a score over bootstrap samples, and their mean.
struct Interval {
  double mean = 0;
  double half_width = 0;
  double low = 0, high = 0;  // the interval itself, which need not be centered at the mean
};
// Errors as in compare_systems().
Interval bootstrap_interval(const Metric& metric, const SentenceStatistics& system,
                            const ResamplingOptions& options = {});

struct SystemComparison {
  double baseline_score = 0, system_score = 0;
  Interval baseline_interval, system_interval;
  Interval difference_interval;                 // of system minus baseline, both on the same samples
  double bootstrap_p = 1, randomization_p = 1;  // two-sided; 1 if the scores are equal
};

// Both must be statistics of `metric` for the same sentences and references: otherwise a ShapeError.
SystemComparison compare_systems(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const ResamplingOptions& options = {});

}  // namespace heed::metrics
