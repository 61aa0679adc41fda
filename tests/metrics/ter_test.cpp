#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/random.h"
#include "base/version.h"
#include "metrics/metric.h"
#include "metrics/ter_edits.h"
#include "sample.h"

namespace heed {
namespace {

std::int64_t edits(std::string_view hypothesis, std::string_view reference) {
  std::map<std::string, std::uint32_t> numbers;
  const auto number = [&](std::string_view line) {
    std::vector<std::uint32_t> words;
    for (const std::string& word : metric_words(line))
      words.push_back(numbers.try_emplace(word, static_cast<std::uint32_t>(numbers.size())).first->second);
    return words;
  };
  const auto words = number(hypothesis);
  return metrics::count_ter_edits(words, number(reference));
}

double ter(const std::vector<std::string>& hypotheses, const metrics::References& references,
           const metrics::MetricOptions& options = {}) {
  return corpus_score(*make_metric("ter", options), hypotheses, references);
}

TEST(TerEdits, CountInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edits("a b c d", "a b c d"), 0);
  EXPECT_EQ(edits("a x c d", "a b c d"), 1);
  EXPECT_EQ(edits("a c d", "a b c d"), 1);
  EXPECT_EQ(edits("a b x c d", "a b c d"), 1);
  EXPECT_EQ(edits("x y z", "a b c"), 3);
  EXPECT_EQ(edits("", "a b c"), 3);
  EXPECT_EQ(edits("a b c", ""), 3);
  EXPECT_EQ(edits("", ""), 0);
}

TEST(TerEdits, AShiftOfAnyLengthAndDirectionIsOneEdit) {
  EXPECT_EQ(edits("d e f g h a b c", "a b c d e f g h"), 1);
  EXPECT_EQ(edits("b c d e a", "a b c d e"), 1);
  EXPECT_EQ(edits("e a b c d", "a b c d e"), 1);
  EXPECT_EQ(edits("a d c b e", "a b c d e"), 2);
  EXPECT_EQ(edits("c d a b x", "a b c d e"), 2);
  // A swap of two single words: one shift beats two replacements.
  EXPECT_EQ(edits("b a", "a b"), 1);
}

// The greedy search must break ties and skip blocks exactly as Tercom does: each of these results changes if the
// longest block, the earliest block, the earliest target or the block's own position is not respected.
TEST(TerEdits, TieBreaksEqualAnIndependentImplementation) {
  EXPECT_EQ(edits("c f e f a c", "f f c e a c"), 2);
  EXPECT_EQ(edits("a a d b c a b d a d c b", "b d b c d d a c a a a b"), 5);
  EXPECT_EQ(edits("d c e f f c c c f", "d c c f f f e b c"), 3);
  EXPECT_EQ(edits("a a a c a a c c b c b a", "b c c a c b c a a a a b"), 5);
  EXPECT_EQ(edits("a d b a b c c a a", "c a c a b a c a d"), 5);
  EXPECT_EQ(edits("e g a d d g", "g a f g e d"), 3);
  EXPECT_EQ(edits("e a b d d g", "a d h a e b"), 5);
  EXPECT_EQ(edits("f b f h h g b e h d g e a b", "f h g b a b f h b e h d g e"), 3);
}

TEST(TerEdits, BlocksOfMoreThanTenWordsAreNotShifted) {
  // Moving the ten words takes one shift; of the eleven either half needs its own, and the five on the other side are
  // cheaper to move.
  EXPECT_EQ(edits("1 2 3 4 5 6 7 8 9 10 a b c d e f g h i j k", "a b c d e f g h i j k 1 2 3 4 5 6 7 8 9 10"), 1);
  EXPECT_EQ(edits("1 2 3 4 5 6 7 8 9 10 11 a b c d e f g h i j k", "a b c d e f g h i j k 1 2 3 4 5 6 7 8 9 10 11"), 2);
}

TEST(TerEdits, WordsShiftByAtMostFiftyPositions) {
  const auto far = [](int distance) {
    std::string between;
    for (int i = 0; i < distance; ++i) between += fmt::format("w{} ", i);
    return edits("x " + between, between + "x");
  };
  EXPECT_EQ(far(50), 1);
  EXPECT_EQ(far(51), 2);
}

// The greedy search never needs more edits than without shifts, and none only if the sentences are equal.
TEST(TerEdits, StayWithinBoundsOnRandomSentences) {
  const Random random(7, Stream::test);
  std::uint64_t position = 0;
  const auto draw = [&](std::uint32_t bound) { return random.below(position++, bound); };
  const auto levenshtein = [](const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::int64_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::int64_t diagonal = std::exchange(row[0], static_cast<std::int64_t>(i) + 1);
      for (std::size_t j = 0; j < b.size(); ++j) {
        const std::int64_t best = std::min({diagonal + (a[i] != b[j]), row[j] + 1, row[j + 1] + 1});
        diagonal = std::exchange(row[j + 1], best);
      }
    }
    return row.back();
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> a(draw(20)), b(1 + draw(20));
    for (auto& word : a) word = draw(6);
    for (auto& word : b) word = draw(6);
    const std::int64_t found = metrics::count_ter_edits(a, b);
    EXPECT_LE(found, levenshtein(a, b));
    EXPECT_GE(found, std::abs(std::ssize(a) - std::ssize(b)));
    EXPECT_EQ(found == 0, a == b);
  }
}

TEST(TerEdits, HandleLongAndVeryUnequalSentences) {
  std::vector<std::uint32_t> longer(20000), shorter = {19990};
  std::iota(longer.begin(), longer.end(), 0);
  EXPECT_EQ(metrics::count_ter_edits(shorter, longer), 19999);
  EXPECT_EQ(metrics::count_ter_edits(longer, shorter), 19999);
  // Adjacent rows of the plain beam would not overlap here.
  EXPECT_EQ(metrics::count_ter_edits(std::vector<std::uint32_t>{100, 500, 501}, std::span(longer).first(353)), 352);
  auto other = longer;
  std::rotate(other.begin() + 100, other.begin() + 105, other.begin() + 130);
  other[7] = 123456;
  EXPECT_EQ(metrics::count_ter_edits(other, longer), 2);
}

TEST(Ter, IsEditsDividedByLength) {
  EXPECT_NEAR(ter({"a b x d"}, {{"a b c d"}}), 25, 1e-10);
  EXPECT_NEAR(ter({"a b x d", "e"}, {{"a b c d", "e f g h i j"}}), 60, 1e-10);
  EXPECT_EQ(ter({"a"}, {{""}}), 100);
  EXPECT_EQ(ter({""}, {{""}}), 0);
  EXPECT_EQ(ter({""}, {{"a b"}}), 100);
  EXPECT_TRUE(metrics::make_metric("ter")->lower_is_better());
}

TEST(Ter, UsesTheFewestEditsAndTheMeanLengthOfReferences) {
  EXPECT_NEAR(ter({"a b c"}, {{"a b c d"}, {"x y"}}), 100. * 1 / 3, 1e-10);
}

TEST(Ter, NormalizesAsTercomDoes) {
  const auto same = [](const char* hypothesis, const char* reference, const metrics::MetricOptions& options) {
    return ter({hypothesis}, {{reference}}, options) == 0;
  };
  EXPECT_TRUE(same("ÄRGER im Haus.", "ärger im haus.", {}));
  EXPECT_FALSE(same("Ärger", "ärger", {.ter_case_sensitive = true}));
  const metrics::MetricOptions norm{.ter_normalized = true}, bare{.ter_no_punctuation = true},
      asian{.ter_normalized = true, .ter_asian_support = true};
  EXPECT_FALSE(same("a (b) c.", "a ( b ) c .", {}));
  EXPECT_TRUE(same("a (b) c.", "a ( b ) c .", norm));
  EXPECT_TRUE(same("Jim's car, 4.2 &quot;x&quot;", "jim 's car , 4.2 \" x \"", norm));
  EXPECT_TRUE(same("a, b; (c)!", "a b c", bare));
  EXPECT_FALSE(same("a-b", "a b", bare));
  EXPECT_FALSE(same("東京へ行く。", "東 京 へ 行 く 。", norm));
  EXPECT_TRUE(same("東京へ行く。", "東 京 へ 行 く 。", asian));
  EXPECT_TRUE(same("ひらがな", "ひらがな", asian));
  EXPECT_FALSE(same("ひらがな", "ひら がな", asian));
  EXPECT_TRUE(same("「a」、b！", "ab", {.ter_no_punctuation = true, .ter_asian_support = true}));
  EXPECT_FALSE(same("「a」、b！", "ab", bare));
}

TEST(Ter, SampleEqualsAnIndependentImplementation) {
  const metrics::MetricOptions plain, norm{.ter_normalized = true},
      norm_bare{.ter_normalized = true, .ter_no_punctuation = true}, bare{.ter_no_punctuation = true},
      cased{.ter_case_sensitive = true};
  const auto expect = [](const metrics::MetricOptions& options, double one, double two) {
    EXPECT_NEAR(ter(kSampleHypotheses, sample_references(1), options), 100 * one, 1e-9);
    EXPECT_NEAR(ter(kSampleHypotheses, sample_references(2), options), 100 * two, 1e-9);
  };
  expect(plain, 15. / 35, 11. / 34);
  expect(norm, 16. / 52, 13. / 50);
  expect(norm_bare, 15. / 38, 8. / 37);
  expect(bare, 15. / 35, 8. / 34);
  expect(cased, 17. / 35, 15. / 34);
}

TEST(Ter, SignatureIsThatOfSacrebleu) {
  EXPECT_EQ(metrics::signature(*metrics::make_metric("ter"), 1),
            "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:heed-" + std::string(kVersion));
  const metrics::MetricOptions options{
      .ter_normalized = true, .ter_no_punctuation = true, .ter_asian_support = true, .ter_case_sensitive = true};
  EXPECT_EQ(make_metric("ter", options)->settings(), "case:mixed|tok:tercom|norm:yes|punct:no|asian:yes");
}

}  // namespace
}  // namespace heed
