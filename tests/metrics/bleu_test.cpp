#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/version.h"
#include "metrics/metric.h"
#include "sample.h"

namespace heed {
namespace {

double bleu(const std::vector<std::string>& hypotheses, const metrics::References& references,
            const metrics::MetricOptions& options = {}) {
  return corpus_score(*make_metric("bleu", options), hypotheses, references);
}

double sentence_bleu(std::string_view hypothesis, std::vector<std::string_view> references,
                     const metrics::MetricOptions& options = {}) {
  return sentence_score(*make_metric("bleu", options), hypothesis, references);
}

TEST(Bleu, EqualsHandComputedScores) {
  // Precisions 3/4, 2/3, 1/2 and, smoothed, 1/2: their product is 1/8.
  EXPECT_NEAR(bleu({"a b c d"}, {{"a b c e"}}), 100 * std::pow(0.125, 0.25), 1e-10);
  // All n-grams match, but the hypothesis is two words short of six.
  EXPECT_NEAR(bleu({"a b c d"}, {{"a b c d e f"}}), 100 * std::exp(1 - 6.0 / 4), 1e-10);
  // Longer than the reference: no penalty, precisions 4/5, 3/4, 2/3, 1/2.
  EXPECT_NEAR(bleu({"a b c d x"}, {{"a b c d"}}), 100 * std::pow(0.2, 0.25), 1e-10);
  // "the" counts only as often as the reference has it: 2/7 words, no pairs (1/2 of 1/6, 1/4 of 1/5, 1/8 of 1/4).
  EXPECT_NEAR(bleu({"the the the the the the the"}, {{"the cat is on the mat"}}),
              100 * std::pow(2.0 / 7 / 12 / 20 / 32, 0.25), 1e-10);
}

TEST(Bleu, SumsOverTheCorpusInsteadOfAveragingSentences) {
  // 4 + 3 of 8 words, 3 + 2 of 6 pairs, 2 + 1 of 4 triples, 1 of 2 quadruples.
  EXPECT_NEAR(bleu({"a b c d", "a b c d"}, {{"a b c d", "a b c e"}}), 100 * std::pow(7. / 8 * 5 / 6 * 3 / 4 / 2, 0.25),
              1e-10);
}

TEST(Bleu, UsesTheNearestReferenceLengthAndTheShorterOfTwo) {
  const auto metric = metrics::make_metric("bleu");
  const auto length = [&](const char* first, const char* second) {
    return metrics::sentence_statistics(*metric, std::vector<std::string>{"a b c d"}, {{first}, {second}}).row(0)[1];
  };
  EXPECT_EQ(length("a b c", "a b c d e f g"), 3);
  EXPECT_EQ(length("a", "a b c d e f"), 6);
  EXPECT_EQ(length("a b c d e", "a b c"), 3);
  EXPECT_EQ(length("a b c", "a b c d e"), 3);
}

TEST(Bleu, NgramsMayComeFromSeveralReferences) {
  // Each reference has one of the two "a"; an n-gram counts as in the reference that has it most.
  const auto metric = metrics::make_metric("bleu");
  const auto statistics =
      metrics::sentence_statistics(*metric, std::vector<std::string>{"a a b c"}, {{"a b x"}, {"a x c"}, {"a a a"}});
  const std::vector<double> row(statistics.row(0).begin(), statistics.row(0).end());
  EXPECT_EQ(row, (std::vector<double>{4, 3, 4, 2, 0, 0, 4, 3, 2, 1}));
}

TEST(Bleu, EverySmoothingEqualsHandComputedScores) {
  // Sentence level; one word in common, then nothing: 1/3, 0/2, 0/1.
  const auto smoothed = [](const char* method, std::optional<double> value = {}) {
    return sentence_bleu("a b c", {"a x y"}, {.bleu_smoothing = method, .bleu_smoothing_value = value});
  };
  EXPECT_EQ(smoothed("none"), 0);
  EXPECT_NEAR(smoothed("exp"), 100 * std::cbrt(1. / 3 * 1 / 4 * 1 / 4), 1e-10);
  EXPECT_NEAR(smoothed("floor"), 100 * std::cbrt(1. / 3 * 0.1 / 2 * 0.1), 1e-10);
  EXPECT_NEAR(smoothed("floor", 0.5), 100 * std::cbrt(1. / 3 * 0.5 / 2 * 0.5), 1e-10);
  // add-k also makes the fourth order count: 1/3, 1/3, 1/2, 1/1.
  EXPECT_NEAR(smoothed("add-k"), 100 * std::pow(1. / 3 * 1 / 3 * 1 / 2, 0.25), 1e-10);
  EXPECT_NEAR(smoothed("add-k", 2), 100 * std::pow(1. / 3 * 2 / 4 * 2 / 3, 0.25), 1e-10);
}

TEST(Bleu, NothingInCommonIsZeroUnderEverySmoothing) {
  for (const char* method : {"none", "floor", "add-k", "exp"}) {
    EXPECT_EQ(sentence_bleu("a b c d", {"e f g h"}, {.bleu_smoothing = method}), 0) << method;
    EXPECT_EQ(sentence_bleu("", {"e f g h"}, {.bleu_smoothing = method}), 0) << method;
    EXPECT_EQ(sentence_bleu("a", {""}, {.bleu_smoothing = method}), 0) << method;
    EXPECT_EQ(sentence_bleu("", {""}, {.bleu_smoothing = method}), 0) << method;
  }
}

TEST(Bleu, EffectiveOrderIsForSentencesAndOnRequest) {
  EXPECT_EQ(bleu({"a b"}, {{"a b"}}), 0);
  EXPECT_NEAR(bleu({"a b"}, {{"a b"}}, {.bleu_effective_order = true}), 100, 1e-10);
  EXPECT_NEAR(sentence_bleu("a b", {"a b"}), 100, 1e-10);
  EXPECT_NEAR(bleu({"a b"}, {{"a b"}}, {.bleu_max_order = 2}), 100, 1e-10);
}

struct BleuCase {
  const char* tokenizer;
  bool lowercase;
  std::size_t references;
  double score;
};

TEST(Bleu, SampleEqualsAnIndependentImplementation) {
  const BleuCase cases[] = {
      {"13a", false, 1, 35.4770732161},  {"13a", true, 1, 36.8014604856},   {"intl", false, 1, 34.3122974032},
      {"intl", true, 1, 35.5932026682},  {"char", false, 1, 60.7666066575}, {"char", true, 1, 62.1958105632},
      {"none", false, 1, 15.5681104389}, {"none", true, 1, 17.1324218413},  {"13a", false, 2, 57.5636725187},
      {"13a", true, 2, 65.2689723372},   {"intl", false, 2, 53.9434055783}, {"intl", true, 2, 61.5212667288},
      {"char", false, 2, 83.0166310458}, {"char", true, 2, 84.9774758500},  {"none", false, 2, 23.4430053569},
      {"none", true, 2, 40.6752778084},
  };
  for (const BleuCase& c : cases) {
    const metrics::MetricOptions options{.lowercase = c.lowercase, .bleu_tokenizer = c.tokenizer};
    EXPECT_NEAR(bleu(kSampleHypotheses, sample_references(c.references), options), c.score, 1e-9)
        << c.tokenizer << (c.lowercase ? " lower-cased, " : ", ") << c.references;
  }
}

TEST(Bleu, SampleSentencesEqualAnIndependentImplementation) {
  const auto expect = [](const char* method, std::vector<double> scores) {
    for (std::size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(sentence_bleu(kSampleHypotheses[i], {kSampleReferences[0][i]}, {.bleu_smoothing = method}), scores[i],
                  1e-9)
          << method << " " << i;
  };
  expect("none", {74.1944662737, 0, 42.6108272392, 0, 0});
  expect("floor", {74.1944662737, 10.2925117298, 42.6108272392, 10.4455227307, 0});
  expect("add-k", {76.756644358, 21.7660122635, 47.3734499067, 31.7828970447, 0});
  expect("exp", {74.1944662737, 15.3908948709, 42.6108272392, 19.640732545, 0});
}

TEST(Bleu, SignatureIsThatOfSacrebleu) {
  EXPECT_EQ(metrics::signature(*metrics::make_metric("bleu"), 1),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:heed-" + std::string(kVersion));
  EXPECT_EQ(signature(*metrics::make_metric("bleu"), 1, metrics::Level::sentence),
            "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:heed-" + std::string(kVersion));
  const metrics::MetricOptions options{.lowercase = true, .bleu_tokenizer = "intl", .bleu_smoothing = "floor"};
  EXPECT_EQ(
      signature(*make_metric("bleu", options), 3, metrics::Level::corpus, "bs:1000|seed:12345"),
      "nrefs:3|bs:1000|seed:12345|case:lc|eff:no|tok:intl|smooth:floor[0.10]|version:heed-" + std::string(kVersion));
  EXPECT_EQ(metrics::make_metric("bleu", {.bleu_smoothing = "add-k", .bleu_smoothing_value = 2})->settings(),
            "case:mixed|eff:no|tok:13a|smooth:add-k[2.00]");
}

TEST(Bleu, DetailsAreThoseOfSacrebleu) {
  const auto metric = metrics::make_metric("bleu");
  const auto sums = metrics::sentence_statistics(*metric, std::vector<std::string>{"a b c d"}, {{"a b c e f"}}).sums();
  EXPECT_EQ(metric->details(sums), "75.0/66.7/50.0/50.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)");
}

TEST(Bleu, RejectsInvalidSettings) {
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_tokenizer = "14a"}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_smoothing = "add_k"}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_smoothing = "exp", .bleu_smoothing_value = 1}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_smoothing = "floor", .bleu_smoothing_value = -1}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_smoothing = "floor", .bleu_smoothing_value = NAN}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_max_order = 0}), UsageError);
  EXPECT_THROW(metrics::make_metric("bleu", {.bleu_max_order = -1}), UsageError);
}

}  // namespace
}  // namespace heed
