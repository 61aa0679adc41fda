// The flags of a search, defaults that depend on other flags, and the score of a hypothesis.
#include "search/search_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"

namespace heed::testing {
namespace {

search::SearchOptions parsed(const std::vector<std::string>& arguments) {
  search::SearchOptions values;
  Options options("test");
  declare(options, values);
  options.parse(arguments);
  resolve(values, options);
  return values;
}

std::string refused(const std::vector<std::string>& arguments) {
  try {
    parsed(arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(SearchOptions, HaveAFlagPerField) {
  const search::SearchOptions v = parsed({"--beam", "7", "--nbest", "3", "--length-normalization", "0.5",
                                          "--word-reward", "-1", "--coverage", "0.2", "--no-repeat", "4"});
  EXPECT_EQ(v.beam, 7);
  EXPECT_EQ(v.nbest, 3);
  EXPECT_EQ(v.length_normalization, 0.5);
  EXPECT_EQ(v.word_reward, -1);
  EXPECT_EQ(v.coverage, 0.2);
  EXPECT_EQ(v.no_repeat, 4);
  const search::SearchOptions s =
      parsed({"--sample", "--temperature", "0.5", "--top-k", "5", "--top-p", "0.9", "--seed", "12345678901"});
  EXPECT_TRUE(s.sample);
  EXPECT_EQ(s.temperature, 0.5);
  EXPECT_EQ(s.top_k, 5);
  EXPECT_EQ(s.top_p, 0.9);
  EXPECT_EQ(s.seed, 12345678901);
}

TEST(SearchOptions, EnlargeTheBeamOnlyIfItIsNotSet) {
  EXPECT_EQ(parsed({}).beam, search::SearchOptions{}.beam);
  EXPECT_EQ(parsed({"--nbest", "2"}).beam, search::SearchOptions{}.beam);
  EXPECT_EQ(parsed({"--nbest", "20"}).beam, 20);
  EXPECT_EQ(refused({"--nbest", "6", "--beam", "5"}), "--nbest 6 needs a --beam of at least 6, not 5");
}

TEST(SearchOptions, SampleWithoutABeam) {
  EXPECT_EQ(parsed({"--sample"}).beam, 1);
  EXPECT_EQ(parsed({"--sample", "--beam", "1"}).beam, 1);
  EXPECT_EQ(refused({"--sample", "--beam", "2"}), "--beam 2 cannot be combined with --sample");
  EXPECT_EQ(refused({"--sample", "--nbest", "2"}),
            "--nbest 2 cannot be combined with --sample, which produces one translation");
  for (const char* flag : {"--temperature", "--top-k", "--top-p", "--seed"})
    EXPECT_EQ(refused({flag, "1"}), std::string(flag) + " has no effect without --sample");
}

TEST(SearchOptions, ScoreAHypothesisByLengthRewardAndCoverage) {
  const search::SearchOptions options{.length_normalization = 0.5, .word_reward = 0.25, .coverage = 2};
  EXPECT_DOUBLE_EQ(hypothesis_score(options, -6, 4), -6 / std::sqrt(4.0) + 1);
  EXPECT_DOUBLE_EQ(hypothesis_score(options, -6, 4, -1.5), -6 / std::sqrt(4.0) + 1 - 3);
  EXPECT_DOUBLE_EQ(hypothesis_score(options, 0, 0), 0);
}

}  // namespace
}  // namespace heed::testing
