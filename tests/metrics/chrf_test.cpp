#include <gtest/gtest.h>

#include "base/error.h"
#include "base/version.h"
#include "metrics/metric.h"
#include "sample.h"

namespace heed {
namespace {

double chrf(const std::vector<std::string>& hypotheses, const metrics::References& references,
            const metrics::MetricOptions& options = {}, const char* name = "chrf") {
  return corpus_score(*make_metric(name, options), hypotheses, references);
}

TEST(Chrf, EqualsHandComputedScores) {
  // Characters: 3 of 4 on both sides; pairs 2 of 3; triples 1 of 2; quadruples 0 of 1. Precision equals recall.
  EXPECT_NEAR(chrf({"abcd"}, {{"abcx"}}), 100 * (3. / 4 + 2. / 3 + 1. / 2 + 0) / 4, 1e-10);
  // Precision 1, recall 1/2 over characters; over pairs 1 and 1/3: F2 of the means 1 and 5/12.
  const double recall = (1. / 2 + 1. / 3) / 2;
  EXPECT_NEAR(chrf({"ab"}, {{"abcd"}}), 100 * 5 * recall / (4 + recall), 1e-10);
  EXPECT_NEAR(chrf({"ab"}, {{"abcd"}}, {.chrf_beta = 1}), 100 * 2 * recall / (1 + recall), 1e-10);
}

TEST(Chrf, WhiteSpaceCountsOnlyOnRequest) {
  EXPECT_NEAR(chrf({"a b\tc\u3000d"}, {{"abcd"}}), 100, 1e-10);
  EXPECT_LT(chrf({"a b c d"}, {{"abcd"}}, {.chrf_whitespace = true}), 60);
  EXPECT_NEAR(chrf({"a b c d  "}, {{"a b c d"}}, {.chrf_whitespace = true}), 100, 1e-10);
}

TEST(Chrf, OmitsOrdersWithoutNgrams) {
  // With epsilon smoothing they count as 0 instead.
  EXPECT_NEAR(chrf({"a"}, {{"a"}}), 100, 1e-10);
  EXPECT_NEAR(chrf({"a"}, {{"a"}}, {.chrf_epsilon_smoothing = true}), 100. / 6, 1e-10);
  // The reference has no pairs: those of the hypothesis do not count against it.
  const auto row =
      metrics::sentence_statistics(*metrics::make_metric("chrf"), std::vector<std::string>{"ab"}, {{"a"}}).sums();
  EXPECT_EQ(std::vector<double>(row.begin(), row.begin() + 6), (std::vector<double>{2, 1, 1, 0, 0, 0}));
}

TEST(Chrf, EmptyTextScoresZero) {
  for (const char* name : {"chrf", "chrf++"}) {
    EXPECT_EQ(chrf({""}, {{"a"}}, {}, name), 0);
    EXPECT_EQ(chrf({"a"}, {{""}}, {}, name), 0);
    EXPECT_EQ(chrf({""}, {{""}}, {}, name), 0);
    EXPECT_NEAR(chrf({""}, {{""}}, {.chrf_epsilon_smoothing = true}, name), 0, 1e-10);
  }
}

TEST(Chrf, OnlyTheBestReferenceCounts) {
  const std::vector<std::string> hypothesis = {"abcdef"};
  EXPECT_EQ(chrf(hypothesis, {{"uvwxyz"}, {"abcxyz"}, {"xyzdef"}}), chrf(hypothesis, {{"abcxyz"}}));
  EXPECT_EQ(chrf(hypothesis, {{"abcxyz"}, {"abcdefg"}}), chrf(hypothesis, {{"abcdefg"}}));
}

TEST(ChrfPlusPlus, SplitsOnePunctuationMarkOffAWord) {
  // The mark at the end is split off, or else the one at the start, never both; a mark alone or inside stays.
  const auto words = [](const char* hypothesis, const char* reference) {
    const auto row = metrics::sentence_statistics(*metrics::make_metric("chrf++"), std::vector<std::string>{hypothesis},
                                                  {{reference}})
                         .sums();
    return std::vector<double>(row.begin() + 18, row.begin() + 21);
  };
  EXPECT_EQ(words("(hi)", "(hi ) x"), (std::vector<double>{2, 4, 1}));
  EXPECT_EQ(words("(hi)", "(hi) x"), (std::vector<double>{2, 3, 2}));
  EXPECT_EQ(words("\"hi", "\" hi"), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(words("- it's", "-it's"), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(words("done...", "done."), (std::vector<double>{2, 2, 1}));
}

struct ChrfCase {
  const char* name;
  metrics::MetricOptions options;
  std::size_t references;
  double score;
};

TEST(Chrf, SampleEqualsAnIndependentImplementation) {
  const metrics::MetricOptions plain, lower{.lowercase = true}, space{.chrf_whitespace = true},
      epsilon{.chrf_epsilon_smoothing = true};
  const ChrfCase cases[] = {
      {"chrf", plain, 1, 55.1149249525},     {"chrf", lower, 1, 56.6244417183},     {"chrf", space, 1, 61.2619001400},
      {"chrf", epsilon, 1, 55.1147280762},   {"chrf++", plain, 1, 54.0239197726},   {"chrf++", lower, 1, 56.3336075778},
      {"chrf++", space, 1, 58.6337318114},   {"chrf++", epsilon, 1, 54.0226132213}, {"chrf", plain, 2, 66.4359388750},
      {"chrf", lower, 2, 74.6733338171},     {"chrf", space, 2, 69.9332565751},     {"chrf", epsilon, 2, 66.4356391763},
      {"chrf++", plain, 2, 64.1718850215},   {"chrf++", lower, 2, 73.8041759753},   {"chrf++", space, 2, 66.9647012374},
      {"chrf++", epsilon, 2, 64.1671940075},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const ChrfCase& c = cases[i];
    EXPECT_NEAR(chrf(kSampleHypotheses, sample_references(c.references), c.options, c.name), c.score, 1e-9)
        << "case " << i;
  }
}

TEST(Chrf, LabelAndSignatureAreThoseOfSacrebleu) {
  EXPECT_EQ(metrics::make_metric("chrf")->label(), "chrF2");
  EXPECT_EQ(metrics::make_metric("chrf++")->label(), "chrF2++");
  EXPECT_EQ(metrics::signature(*metrics::make_metric("chrf"), 1),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:heed-" + std::string(kVersion));
  const metrics::MetricOptions options{.lowercase = true, .chrf_whitespace = true, .chrf_epsilon_smoothing = true};
  EXPECT_EQ(signature(*make_metric("chrf++", options), 2),
            "nrefs:2|case:lc|eff:no|nc:6|nw:2|space:yes|version:heed-" + std::string(kVersion));
}

TEST(Chrf, RejectsInvalidSettings) {
  EXPECT_THROW(metrics::make_metric("chrf", {.chrf_character_order = 0}), UsageError);
  EXPECT_THROW(metrics::make_metric("chrf", {.chrf_character_order = -3}), UsageError);
  EXPECT_THROW(metrics::make_metric("chrf", {.chrf_beta = 0}), UsageError);
}

}  // namespace
}  // namespace heed
