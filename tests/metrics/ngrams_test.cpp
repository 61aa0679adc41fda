#include "metrics/ngrams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/random.h"

namespace heed {
namespace {

using Symbols = std::vector<std::uint32_t>;

// The plain way: every n-gram in a map.
std::map<Symbols, double> count_plainly(const Symbols& text, std::size_t n) {
  std::map<Symbols, double> counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i)
    ++counts[Symbols(text.begin() + static_cast<std::ptrdiff_t>(i), text.begin() + static_cast<std::ptrdiff_t>(i + n))];
  return counts;
}

TEST(NgramMatcher, CountsAsThePlainWay) {
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
        auto in_reference = count_plainly(reference, n);
        for (const auto& [ngram, count] : count_plainly(hypothesis, n))
          expected[n - 1] += std::min(count, in_reference[ngram]);
      }
      EXPECT_EQ(matched, expected);
    }
    for (std::size_t n = 1; n <= kOrder; ++n)
      for (const auto& [ngram, count] : count_plainly(hypothesis, n)) {
        double most = 0;
        for (const Symbols& reference : references) most = std::max(most, count_plainly(reference, n)[ngram]);
        expected_best[n - 1] += std::min(count, most);
      }
    EXPECT_EQ(best, expected_best);
  }
}

TEST(WordNumbers, UnknownWordsMatchNothing) {
  metrics::WordNumbers numbers;
  const std::u32string_view words[] = {U"a", U"b", U"a"}, others[] = {U"b", U"x", U"y"};
  EXPECT_EQ(numbers.add(words), (Symbols{0, 1, 0}));
  EXPECT_EQ(numbers.find(others), (Symbols{1, metrics::kUnknownSymbol, metrics::kUnknownSymbol}));
  metrics::NgramMatcher matcher(numbers.add(words), 2);
  std::vector<double> matched(2);
  matcher.match(numbers.find(others), matched);
  EXPECT_EQ(matched, (std::vector<double>{1, 0}));
}

TEST(NgramCount, ShortTexts) {
  EXPECT_EQ(metrics::ngram_count(5, 1), 5);
  EXPECT_EQ(metrics::ngram_count(5, 5), 1);
  EXPECT_EQ(metrics::ngram_count(4, 5), 0);
  EXPECT_EQ(metrics::ngram_count(0, 1), 0);
}

}  // namespace
}  // namespace heed
