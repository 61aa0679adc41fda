// Averages of parameters, and comparison of validation scores.
#include "train/checkpoint.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/files.h"
#include "support/op_cases.h"
#include "train/validation.h"

namespace heed::testing {
namespace {

TEST(AverageParameters, IsTheMeanOfTheFiles) {
  const TemporaryDirectory directory;
  autograd::Parameters parameters;
  parameters.add("a", {2, 3});
  parameters.add("b", {5});
  parameters.allocate();
  std::vector<std::string> files;
  std::vector<double> sums(numbers(parameters.flat()).size());
  for (std::uint32_t k = 1; k <= 3; ++k) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      randomize(parameters[p].value, 10 * k + static_cast<std::uint32_t>(p));
    const auto values = numbers(parameters.flat());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i] / 3;
    files.push_back(directory.file(std::to_string(k)));
    train::save_parameters(files.back(), parameters);
  }
  train::average_parameters(parameters, files);
  const auto mean = numbers(parameters.flat());
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(mean[i], sums[i], 1e-7);
  train::average_parameters(parameters, {files[1]});
  const auto one = numbers(parameters.flat());
  train::average_parameters(parameters, {files[1], files[1], files[1]});
  EXPECT_EQ(numbers(parameters.flat()), one);
  EXPECT_THROW(train::average_parameters(parameters, {directory.file("none")}), InputError);
}

TEST(Validation, LowerPerplexityAndHigherOtherScoresAreBetter) {
  EXPECT_TRUE(is_better(train::ValidationMetric::perplexity, 3, 4));
  EXPECT_FALSE(is_better(train::ValidationMetric::perplexity, 4, 4));
  const train::Validation v{.perplexity = 1, .accuracy = 2, .bleu = 3, .chrf = 4, .exact = 5};
  const std::vector<std::string> names = {"perplexity", "accuracy", "bleu", "chrf", "exact"};
  EXPECT_EQ(enum_names(train::ValidationMetric{}), names);
  for (const std::string& name : names) {
    const auto metric = enum_value<train::ValidationMetric>(name);
    EXPECT_EQ(names[static_cast<std::size_t>(v.value(metric)) - 1], name);
    if (metric != train::ValidationMetric::perplexity) {
      EXPECT_TRUE(is_better(metric, 4, 3));
      EXPECT_FALSE(is_better(metric, 3, 3));
    }
  }
}

}  // namespace
}  // namespace heed::testing
