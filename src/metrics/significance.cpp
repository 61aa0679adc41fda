#include "metrics/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace heed::metrics {

namespace {

// The streams of random numbers: one a purpose.
enum : std::uint32_t { kBootstrapIndex = 0, kRandomizationIndex = 1 };

void add(std::span<double> sums, std::span<const double> row) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += row[k];
}

// Sums over a sample of as many sentences as there are, drawn with replacement; the same sentences for both systems.
class Bootstrap {
 public:
  Bootstrap(std::size_t sentences, std::uint64_t seed)
      : random_(seed, Stream::sample, kBootstrapIndex), sample_(sentences) {}

  void draw(std::uint64_t number) {
    const std::uint64_t sentences = sample_.size(), blocks = (sentences + 3) / 4;
    for (std::uint64_t block = 0; block < blocks; ++block) {
      const auto bits = random_.block(number * blocks + block);
      for (std::uint64_t k = 4 * block; k < std::min(4 * block + 4, sentences); ++k)
        sample_[k] = static_cast<std::uint32_t>((bits[k % 4] * sentences) >> 32);
    }
  }

  double score(const Metric& metric, const SentenceStatistics& statistics) {
    sums_.assign(statistics.columns(), 0);
    for (const std::uint32_t sentence : sample_) add(sums_, statistics.row(sentence));
    return metric.score(sums_);
  }

 private:
  Random random_;
  std::vector<std::uint32_t> sample_;
  std::vector<double> sums_;
};

Interval interval_of(std::vector<double> scores) {
  std::ranges::sort(scores);
  const std::size_t cut = scores.size() / 40;
  return {.mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size()),
          .half_width = (scores[scores.size() - cut - 1] - scores[cut]) / 2};
}

// One is added on both sides, so that the test never claims more than the samples can show.
double p_value(std::int64_t more_extreme, std::size_t samples) {
  return static_cast<double>(more_extreme + 1) / static_cast<double>(samples + 1);
}

void run_bootstrap(SystemComparison& result, const Metric& metric, const SentenceStatistics& baseline,
                   const SentenceStatistics& system, const ResamplingOptions& options) {
  const auto samples = static_cast<std::size_t>(options.bootstrap_samples);
  Bootstrap bootstrap(baseline.rows(), options.seed);
  std::vector<double> baseline_scores(samples), system_scores(samples), differences(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    bootstrap.draw(i);
    baseline_scores[i] = bootstrap.score(metric, baseline);
    system_scores[i] = bootstrap.score(metric, system);
    differences[i] = std::abs(system_scores[i] - baseline_scores[i]);
  }
  const double mean = std::accumulate(differences.begin(), differences.end(), 0.0) / static_cast<double>(samples);
  const double actual = std::abs(result.system_score - result.baseline_score);
  const auto more_extreme =
      std::ranges::count_if(differences, [&](double difference) { return difference - mean > actual; });
  result.bootstrap_p = p_value(more_extreme, samples);
  result.baseline_interval = interval_of(std::move(baseline_scores));
  result.system_interval = interval_of(std::move(system_scores));
}

// Swaps the outputs of each sentence by the toss of a coin and sees how often that makes as large a difference.
void run_randomization(SystemComparison& result, const Metric& metric, const SentenceStatistics& baseline,
                       const SentenceStatistics& system, const ResamplingOptions& options) {
  const std::size_t columns = baseline.columns(), sentences = baseline.rows();
  SentenceStatistics change(sentences, columns);  // what a swap adds to the first system and takes from the second
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
      if ((coins[i / 32 % 4] >> (i % 32)) & 1) add(moved, change.row(i));
    }
    for (std::size_t k = 0; k < columns; ++k) {
      first[k] = first_sums[k] + moved[k];
      second[k] = second_sums[k] - moved[k];
    }
    more_extreme += std::abs(metric.score(first) - metric.score(second)) > actual;
  }
  result.randomization_p = p_value(more_extreme, static_cast<std::size_t>(options.randomization_trials));
}

}  // namespace

SystemComparison compare_systems(const Metric& metric, const SentenceStatistics& baseline,
                                 const SentenceStatistics& system, const ResamplingOptions& options) {
  check(baseline.rows() == system.rows() && baseline.columns() == metric.size() && system.columns() == metric.size(),
        "statistics of {} and {} sentences, {} and {} numbers each, do not fit together", baseline.rows(),
        system.rows(), baseline.columns(), system.columns());
  check(baseline.rows() > 0 && baseline.rows() <= std::numeric_limits<std::uint32_t>::max(),
        "there must be a sentence to compare on");
  check<UsageError>(options.bootstrap_samples >= 1 && options.randomization_trials >= 1,
                    "a significance test needs at least one sample and one trial, not {} and {}",
                    options.bootstrap_samples, options.randomization_trials);
  SystemComparison result{.baseline_score = metric.score(baseline.sums()), .system_score = metric.score(system.sums())};
  run_bootstrap(result, metric, baseline, system, options);
  run_randomization(result, metric, baseline, system, options);
  // The tests count larger differences, and there is none larger than none where both outputs are the same.
  if (result.baseline_score == result.system_score) result.bootstrap_p = result.randomization_p = 1;
  return result;
}

}  // namespace heed::metrics
