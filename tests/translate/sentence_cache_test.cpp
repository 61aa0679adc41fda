#include "translate/sentence_cache.h"

#include <gtest/gtest.h>

namespace heed::translate {
namespace {

LineResult result_with(std::string text) {
  LineResult result;
  result.translations.push_back({.text = std::move(text)});
  return result;
}

TEST(SentenceCache, FindsWhatWasAdded) {
  SentenceCache cache(1 << 20);
  EXPECT_FALSE(cache.find("a"));
  cache.add("a", result_with("A"));
  ASSERT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.find("a")->best().text, "A");
  EXPECT_FALSE(cache.find("b"));
  const SentenceCache::Statistics statistics = cache.statistics();
  EXPECT_EQ(statistics.entries, 1u);
  EXPECT_EQ(statistics.hits, 2u);
  EXPECT_EQ(statistics.misses, 2u);
}

// It stays below its limit and drops the least recently used results.
TEST(SentenceCache, IsBounded) {
  constexpr std::size_t kBytes = 100'000;
  SentenceCache cache(kBytes);
  cache.add("kept", result_with("K"));
  for (int i = 0; i < 1000; ++i) {
    cache.add(std::to_string(i), result_with(std::string(1000, 'x')));
    EXPECT_TRUE(cache.find("kept")) << i;
    EXPECT_LE(cache.statistics().bytes, kBytes);
  }
  EXPECT_GT(cache.statistics().entries, 30u);
  EXPECT_FALSE(cache.find("0"));
  EXPECT_TRUE(cache.find("999"));
  cache.add("large", result_with(std::string(2 * kBytes, 'x')));
  EXPECT_FALSE(cache.find("large"));
  EXPECT_TRUE(cache.find("999"));
}

}  // namespace
}  // namespace heed::translate
