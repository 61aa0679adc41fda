#include "metrics/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace heed::metrics {

namespace {

// The indices of the random streams, one per test.
enum : std::uint32_t { kBootstrapIndex = 0, kRandomizationIndex = 1 };

double score_sample(const Metric& metric, const SentenceStatistics& statistics,
                    std::span<const std::uint32_t> sentences) {
  std::vector<double> sums(statistics.columns());
  for (const std::uint32_t sentence : sentences) add_to(sums, statistics.row(sentence));
  return metric.score(sums);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval interval_of(std::vector<double> scores) {
  std::ranges::sort(scores);
  const std::size_t cut = scores.size() / 40;
  const double low = scores[cut], high = scores[scores.size() - cut - 1];
  return {.mean = mean(scores), .half_width = (high - low) / 2, .low = low, .high = high};
}

// Adding one to both keeps the test conservative: p is never below what the number of samples can show.
double p_value(std::int64_t more_extreme, std::size_t samples) {
  return static_cast<double>(more_extreme + 1) / static_cast<double>(samples + 1);
}

// The scores of bootstrap samples, each of as many sentences as there are, drawn with replacement. The samples are the
// same for every system on the same sentences, so that scores can be compared in pairs.
std::vector<double> bootstrap_scores(const Metric& metric, const SentenceStatistics& system,
                                     const ResamplingOptions& options) {
  const Random random(options.seed, Stream::sample, kBootstrapIndex);
  const std::uint64_t sentences = system.rows(), blocks = (sentences + 3) / 4;
  std::vector<std::uint32_t> sample(sentences);
  std::vector<double> scores(static_cast<std::size_t>(options.bootstrap_samples));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    std::array<std::uint32_t, 4> bits = {};
    for (std::uint64_t k = 0; k < sentences; ++k) {
      if (k % 4 == 0) bits = random.block(i * blocks + k / 4);
      sample[k] = static_cast<std::uint32_t>((bits[k % 4] * sentences) >> 32);
    }
    scores[i] = score_sample(metric, system, sample);
  }
  return scores;
}

void run_bootstrap(SystemComparison& result, const Metric& metric, const SentenceStatistics& baseline,
                   const SentenceStatistics& system, const ResamplingOptions& options) {
  const std::vector<double> baseline_scores = bootstrap_scores(metric, baseline, options),
                            system_scores = bootstrap_scores(metric, system, options);
  std::vector<double> differences(system_scores.size());
  std::ranges::transform(system_scores, baseline_scores, differences.begin(), std::minus());
  result.baseline_interval = interval_of(baseline_scores);
  result.system_interval = interval_of(system_scores);
  result.difference_interval = interval_of(differences);
  for (double& difference : differences) difference = std::abs(difference);
  const double center = mean(differences);
  const double actual = std::abs(result.system_score - result.baseline_score);
  const auto more_extreme =
      std::ranges::count_if(differences, [&](double difference) { return difference - center > actual; });
  result.bootstrap_p = p_value(more_extreme, differences.size());
}

// Swaps the outputs of each sentence with probability 1/2 and counts how often that gives a larger difference.
void run_randomization(SystemComparison& result, const Metric& metric, const SentenceStatistics& baseline,
                       const SentenceStatistics& system, const ResamplingOptions& options) {
  const std::size_t columns = baseline.columns(), sentences = baseline.rows();
  SentenceStatistics change(sentences,
                            columns);  // a swap adds this to the first system and subtracts it from the second
  for (std::size_t i = 0; i < sentences; ++i)
    for (std::size_t k = 0; k < columns; ++k) change.row(i)[k] = system.row(i)[k] - baseline.row(i)[k];
  const std::vector<double> first_sums = baseline.sums(), second_sums = system.sums();
  const double actual = std::abs(result.system_score - result.baseline_score);
  const Random random(options.seed, Stream::sample, kRandomizationIndex);
  const std::uint64_t blocks = (sentences + 127) / 128;

  std::int64_t more_extreme = 0;
  std::vector<double> first(columns), second(columns), moved(columns);
  for (std::int64_t trial = 0; trial < options.randomization_trials; ++trial) {
    std::ranges::fill(moved, 0);
    std::array<std::uint32_t, 4> coins = {};
    for (std::size_t i = 0; i < sentences; ++i) {
      if (i % 128 == 0) coins = random.block(static_cast<std::uint64_t>(trial) * blocks + i / 128);
      if ((coins[i / 32 % 4] >> (i % 32)) & 1) add_to(moved, change.row(i));
    }
    for (std::size_t k = 0; k < columns; ++k) {
      first[k] = first_sums[k] + moved[k];
      second[k] = second_sums[k] - moved[k];
    }
    more_extreme += std::abs(metric.score(first) - metric.score(second)) > actual;
  }
  result.randomization_p = p_value(more_extreme, static_cast<std::size_t>(options.randomization_trials));
}

void check_statistics(const Metric& metric, const SentenceStatistics& statistics, const ResamplingOptions& options) {
  check(statistics.columns() == metric.size(), "statistics of {} numbers for a metric of {}", statistics.columns(),
        metric.size());
  check(statistics.rows() > 0 && statistics.rows() <= std::numeric_limits<std::uint32_t>::max(),
        "a significance test needs between 1 and 2^32 - 1 sentences");
  check<UsageError>(options.bootstrap_samples >= 1 && options.randomization_trials >= 1,
                    "a significance test needs at least one sample and one trial, not {} and {}",
                    options.bootstrap_samples, options.randomization_trials);
}

}  // namespace

Interval bootstrap_interval(const Metric& metric, const SentenceStatistics& system, const ResamplingOptions& options) {
  check_statistics(metric, system, options);
  return interval_of(bootstrap_scores(metric, system, options));
}

SystemComparison compare_systems(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const ResamplingOptions& options) {
  check_statistics(metric, baseline, options);
  check_statistics(metric, system, options);
  check(baseline.rows() == system.rows(), "statistics of {} and {} sentences cannot be compared", baseline.rows(),
        system.rows());
  SystemComparison result{.baseline_score = metric.score(baseline.sums()), .system_score = metric.score(system.sums())};
  run_bootstrap(result, metric, baseline, system, options);
  run_randomization(result, metric, baseline, system, options);
  // The tests count only larger differences, which would give the smallest p if both outputs are the same.
  if (result.baseline_score == result.system_score) result.bootstrap_p = result.randomization_p = 1;
  return result;
}

}  // namespace heed::metrics
