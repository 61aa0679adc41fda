#include "metrics/significance.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace heed {
namespace {

// Sentences of eight words against "a b c d e f g h"; each word is wrong with the probability `wrong`.
metrics::SentenceStatistics system_of_quality(const metrics::Metric& metric, double wrong, std::uint32_t index,
                                              std::size_t sentences) {
  const Random random(3, Stream::test, index);
  std::vector<std::string> hypotheses(sentences);
  for (std::size_t i = 0; i < sentences; ++i)
    for (std::size_t k = 0; k < 8; ++k)
      hypotheses[i] += std::string(1, random.uniform(8 * i + k) < wrong ? 'x' : static_cast<char>('a' + k)) + " ";
  return sentence_statistics(metric, hypotheses, {std::vector<std::string>(sentences, "a b c d e f g h")});
}

TEST(Significance, FindsADifference) {
  for (const std::string& name : metrics::metric_names()) {
    const auto metric = metrics::make_metric(name);
    const auto good = system_of_quality(*metric, 0.1, 0, 200), bad = system_of_quality(*metric, 0.3, 1, 200);
    const auto result = metrics::compare_systems(*metric, good, bad);
    EXPECT_LT(result.bootstrap_p, 0.01) << name;
    EXPECT_LT(result.randomization_p, 0.01) << name;
  }
}

// Of pairs of equally good systems, about one in twenty should look different at 0.05.
TEST(Significance, RaisesFewFalseAlarms) {
  const auto metric = metrics::make_metric("bleu");
  int bootstrap = 0, randomization = 0;
  double sum_of_p = 0;
  constexpr std::uint32_t kPairs = 60;
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    const auto one = system_of_quality(*metric, 0.2, 2 * pair, 60),
               other = system_of_quality(*metric, 0.2, 2 * pair + 1, 60);
    const auto result =
        metrics::compare_systems(*metric, one, other, {.bootstrap_samples = 300, .randomization_trials = 300});
    bootstrap += result.bootstrap_p < 0.05;
    randomization += result.randomization_p < 0.05;
    sum_of_p += result.randomization_p;
  }
  EXPECT_LE(randomization, 8);
  EXPECT_LE(bootstrap, 12);  // known to reject more often
  EXPECT_NEAR(sum_of_p / kPairs, 0.5, 0.12);
}

TEST(Significance, ASystemDoesNotDifferFromItself) {
  const auto metric = metrics::make_metric("bleu");
  const auto system = system_of_quality(*metric, 0.2, 0, 50);
  const auto result = metrics::compare_systems(*metric, system, system);
  EXPECT_EQ(result.baseline_score, result.system_score);
  EXPECT_EQ(result.bootstrap_p, 1);
  EXPECT_EQ(result.randomization_p, 1);
}

TEST(Significance, OneSentenceGivesTheSmallestP) {
  // Every sample is that sentence, so nothing varies; every second trial swaps, which changes no absolute difference.
  const auto metric = metrics::make_metric("chrf");
  const metrics::References reference = {{"abc"}};
  const auto good = metrics::sentence_statistics(*metric, std::vector<std::string>{"abc"}, reference),
             bad = sentence_statistics(*metric, std::vector<std::string>{"abx"}, reference);
  const auto result = metrics::compare_systems(*metric, good, bad);
  EXPECT_NEAR(result.baseline_interval.mean, 100, 1e-9);
  EXPECT_NEAR(result.baseline_interval.half_width, 0, 1e-9);
  EXPECT_NEAR(result.system_interval.mean, result.system_score, 1e-9);
  EXPECT_DOUBLE_EQ(result.bootstrap_p, 1. / 1001);
  EXPECT_DOUBLE_EQ(result.randomization_p, 1. / 10001);
}

// Three sentences; the first system is right on two of them, the second on the third: a difference of 100 / 3. Of the
// eight ways to toss the coins, two give all the right ones to one side, which makes 100; the others make 100 / 3. Of
// bootstrap samples 9 in 27 have a difference of 100, the others 100 / 3: the mean is 500 / 9, and 100 exceeds it by
// more than 100 / 3.
TEST(Significance, PIsTheFractionOfLargerDifferences) {
  const auto metric = metrics::make_metric("ter");
  const metrics::References reference = {{"a", "a", "a"}};
  const auto first = metrics::sentence_statistics(*metric, std::vector<std::string>{"a", "a", "x"}, reference),
             second = sentence_statistics(*metric, std::vector<std::string>{"x", "x", "a"}, reference);
  const auto result = metrics::compare_systems(*metric, first, second);
  EXPECT_NEAR(result.system_score - result.baseline_score, 100. / 3, 1e-9);
  EXPECT_NEAR(result.randomization_p, 0.25, 0.02);
  EXPECT_NEAR(result.bootstrap_p, 1. / 3, 0.06);
}

TEST(Significance, TheIntervalIsThatOfTheStandardError) {
  // Half of the sentences are wrong: the mean of 400 has a standard error of 100 * 0.5 / 20 = 2.5, so 95% lie
  // within 4.9.
  const auto metric = metrics::make_metric("ter");
  std::vector<std::string> hypotheses;
  for (int i = 0; i < 400; ++i) hypotheses.emplace_back(i % 2 ? "a" : "x");
  const auto system = metrics::sentence_statistics(*metric, hypotheses, {std::vector<std::string>(400, "a")});
  const auto result = metrics::compare_systems(*metric, system, system);
  EXPECT_NEAR(result.system_interval.mean, 50, 0.4);
  EXPECT_NEAR(result.system_interval.half_width, 4.9, 0.6);
}

// Sentences of ten words with one or six errors, and the same with one error less: each sample has its own score, but
// all have the same difference.
TEST(Significance, TheIntervalOfTheDifferenceIsPaired) {
  const auto metric = metrics::make_metric("ter");
  std::vector<std::string> worse, better;
  for (int i = 0; i < 100; ++i) {
    worse.emplace_back(i % 2 ? "x b c d e f g h i j" : "x x x x x x g h i j");
    better.emplace_back(i % 2 ? "a b c d e f g h i j" : "a x x x x x g h i j");
  }
  const metrics::References reference = {std::vector<std::string>(100, "a b c d e f g h i j")};
  const auto baseline = sentence_statistics(*metric, worse, reference),
             system = sentence_statistics(*metric, better, reference);
  const auto result = metrics::compare_systems(*metric, baseline, system);
  for (const double value :
       {result.difference_interval.mean, result.difference_interval.low, result.difference_interval.high})
    EXPECT_NEAR(value, -10, 1e-9);
  for (const metrics::Interval& own : {result.baseline_interval, result.system_interval}) {
    EXPECT_GT(own.high - own.low, 5);
    EXPECT_DOUBLE_EQ(own.half_width, (own.high - own.low) / 2);
    EXPECT_TRUE(own.low < own.mean && own.mean < own.high);
  }
  const metrics::Interval alone = metrics::bootstrap_interval(*metric, system);
  EXPECT_EQ(alone.low, result.system_interval.low);
  EXPECT_EQ(alone.high, result.system_interval.high);
  EXPECT_THROW(metrics::bootstrap_interval(*metrics::make_metric("bleu"), system), ShapeError);
}

TEST(Significance, TheResultDependsOnlyOnTheSeed) {
  const auto metric = metrics::make_metric("bleu");
  const auto a = system_of_quality(*metric, 0.2, 0, 60), b = system_of_quality(*metric, 0.23, 1, 60);
  const auto first = metrics::compare_systems(*metric, a, b), again = compare_systems(*metric, a, b),
             other = compare_systems(*metric, a, b, {.seed = 1});
  EXPECT_EQ(first.bootstrap_p, again.bootstrap_p);
  EXPECT_EQ(first.randomization_p, again.randomization_p);
  EXPECT_EQ(first.system_interval.mean, again.system_interval.mean);
  EXPECT_NE(first.system_interval.mean, other.system_interval.mean);
  EXPECT_NEAR(first.randomization_p, other.randomization_p, 0.05);
}

TEST(Significance, RejectsStatisticsThatDoNotMatch) {
  const auto bleu = metrics::make_metric("bleu");
  const auto three = system_of_quality(*bleu, 0.1, 0, 3), four = system_of_quality(*bleu, 0.1, 0, 4);
  EXPECT_THROW(metrics::compare_systems(*bleu, three, four), ShapeError);
  EXPECT_THROW(metrics::compare_systems(*metrics::make_metric("ter"), three, three), ShapeError);
  EXPECT_THROW(compare_systems(*bleu, metrics::SentenceStatistics(0, 10), metrics::SentenceStatistics(0, 10)),
               ShapeError);
  EXPECT_THROW(metrics::compare_systems(*bleu, three, three, {.bootstrap_samples = 0}), UsageError);
  EXPECT_THROW(metrics::compare_systems(*bleu, three, three, {.randomization_trials = -1}), UsageError);
}

}  // namespace
}  // namespace heed
