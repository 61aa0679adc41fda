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

// Counts the lines that it translates.
class CountingTranslator final : public SentenceTranslator {
 public:
  const TextPipeline& pipeline() const override { return pipeline_; }
  bool has_attention() const override { return false; }
  const std::optional<TrainingLines>& training_lines() const override { return training_lines_; }
  std::vector<LineResult> translate(std::span<const TranslateRequest> requests, const TranslateOptions&) override {
    lines += static_cast<int>(requests.size());
    return std::vector<LineResult>(requests.size(), result_with("x"));
  }

  int lines = 0;

 private:
  TextPipeline pipeline_{text::TextConfig{}};
  std::optional<TrainingLines> training_lines_;
};

TEST(CachedTranslator, OtherTextsModelsAndOptionsAreOthers) {
  CountingTranslator translator;
  const auto cache = std::make_shared<SentenceCache>(1 << 20);
  CachedTranslator cached(translator, cache, "model"), other(translator, cache, "other");
  const auto translated = [&](CachedTranslator& to, std::string_view text, const TranslateOptions& options) {
    const int before = translator.lines;
    const TranslateRequest request{.text = text};
    to.translate({&request, 1}, options);
    return translator.lines - before;
  };
  EXPECT_EQ(translated(cached, "a", {}), 1);
  EXPECT_EQ(translated(cached, "a", {}), 0) << "the same again";
  EXPECT_EQ(translated(cached, "b", {}), 1);
  EXPECT_EQ(translated(other, "a", {}), 1);
  const auto expect_other = [&](const char* name, auto change) {
    TranslateOptions options;
    change(options);
    EXPECT_EQ(translated(cached, "a", options), 1) << name;
    EXPECT_EQ(translated(cached, "a", options), 0) << name;
  };
  expect_other("beam", [](TranslateOptions& o) { o.search.beam += 1; });
  expect_other("nbest", [](TranslateOptions& o) { o.search.nbest += 1; });
  expect_other("length_normalization", [](TranslateOptions& o) { o.search.length_normalization += 0.5F; });
  expect_other("word_reward", [](TranslateOptions& o) { o.search.word_reward += 0.5F; });
  expect_other("coverage", [](TranslateOptions& o) { o.search.coverage += 0.5F; });
  expect_other("no_repeat", [](TranslateOptions& o) { o.search.no_repeat += 2; });
  expect_other("sample", [](TranslateOptions& o) { o.search.sample = true; });
  expect_other("temperature", [](TranslateOptions& o) { o.search.temperature += 0.5F; });
  expect_other("top_k", [](TranslateOptions& o) { o.search.top_k += 3; });
  expect_other("top_p", [](TranslateOptions& o) { o.search.top_p /= 2; });
  expect_other("seed", [](TranslateOptions& o) { o.search.seed += 1; });
  expect_other("attention", [](TranslateOptions& o) { o.search.attention = !o.search.attention; });
  expect_other("shortlist", [](TranslateOptions& o) { o.search.shortlist = !o.search.shortlist; });
  expect_other("length_ratio", [](TranslateOptions& o) { o.length_ratio += 1; });
  expect_other("length_extra", [](TranslateOptions& o) { o.length_extra += 1; });
  expect_other("max_source_length", [](TranslateOptions& o) { o.max_source_length += 1; });
  expect_other("unknown.replace", [](TranslateOptions& o) { o.unknown.replace = !o.unknown.replace; });
  expect_other("unknown.only_names", [](TranslateOptions& o) { o.unknown.only_names = !o.unknown.only_names; });
  expect_other("warnings", [](TranslateOptions& o) { o.warnings = !o.warnings; });
  expect_other("stop_repetition", [](TranslateOptions& o) { o.stop_repetition = !o.stop_repetition; });
}

}  // namespace
}  // namespace heed::translate
