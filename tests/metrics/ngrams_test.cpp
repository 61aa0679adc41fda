#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"
#include "metrics/segment.h"

namespace heed {
namespace {

using Symbols = std::vector<std::uint32_t>;

// The reference: every n-gram in a map.
std::map<Symbols, double> count_reference(const Symbols& text, std::size_t n) {
  std::map<Symbols, double> counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i)
    ++counts[Symbols(text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(i + n))];
  return counts;
}

TEST(NgramMatcher, AgreesWithTheReference) {
  constexpr std::size_t kOrder = 5;
  const Random random(5, Stream::test);
  std::uint64_t position = 0;
  const auto draw = [&](std::uint32_t bound) { return random.below(position++, bound); };
  const auto text = [&] {
    Symbols symbols(draw(40));
    const std::uint32_t kinds = 1 + draw(6);
    for (auto& symbol : symbols) symbol = draw(kinds);
    return symbols;
  };
  for (int round = 0; round < 200; ++round) {
    const Symbols hypothesis = text();
    const std::vector<Symbols> references = {text(), text(), text()};
    metrics::NgramMatcher alone(hypothesis, kOrder), together(hypothesis, kOrder);
    std::vector<double> best(kOrder), expected_best(kOrder);
    for (const Symbols& reference : references) {
      std::vector<double> matched(kOrder), expected(kOrder);
      alone.match(reference, matched);
      together.match_best(reference, best);
      for (std::size_t n = 1; n <= kOrder; ++n) {
        auto in_reference = count_reference(reference, n);
        for (const auto& [ngram, count] : count_reference(hypothesis, n))
          expected[n - 1] += std::min(count, in_reference[ngram]);
      }
      EXPECT_EQ(matched, expected);
    }
    for (std::size_t n = 1; n <= kOrder; ++n)
      for (const auto& [ngram, count] : count_reference(hypothesis, n)) {
        double most = 0;
        for (const Symbols& reference : references) most = std::max(most, count_reference(reference, n)[ngram]);
        expected_best[n - 1] += std::min(count, most);
      }
    EXPECT_EQ(best, expected_best);
  }
}

TEST(WordNumbers, NumberWordsAcrossTexts) {
  metrics::WordNumbers numbers;
  EXPECT_EQ(numbers.add(U"a b a", metrics::split_words), (Symbols{0, 1, 0}));
  EXPECT_EQ(numbers.add(U"b x y", metrics::split_words), (Symbols{1, 2, 3}));
  EXPECT_EQ(numbers.add(U"y a", metrics::split_words), (Symbols{3, 0}));
}

TEST(NgramCount, IsZeroForTextsShorterThanN) {
  EXPECT_EQ(metrics::ngram_count(5, 1), 5);
  EXPECT_EQ(metrics::ngram_count(5, 5), 1);
  EXPECT_EQ(metrics::ngram_count(4, 5), 0);
  EXPECT_EQ(metrics::ngram_count(0, 1), 0);
}

}  // namespace
}  // namespace heed
