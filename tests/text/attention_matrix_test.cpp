// Attention by words, computed by hand.
#include "text/attention_matrix.h"

#include <gtest/gtest.h>

namespace heed::testing {
namespace {

text::Token token(const char* text, std::uint32_t from, std::uint32_t to) {
  return {text, {from, to}};
}

// "un seen" in three subwords, "ab c" in three; both with the end symbol.
text::AttentionMatrix subwords() {
  return {.source = {token("\u2581un", 0, 2), token("\u2581se", 3, 5), token("en", 5, 7), token("</s>", 7, 7)},
          .target = {token("\u2581a", 0, 1), token("b", 1, 2), token("\u2581c", 3, 4), token("</s>", 4, 4)},
          .source_end = true,
          .target_end = true,
          .weights = {0.5F, 0.25F, 0.125F, 0.125F,  //
                      0.1F, 0.2F, 0.3F, 0.4F,       //
                      0, 0, 0, 1,                   //
                      0.25F, 0.25F, 0.25F, 0.25F}};
}

void expect_row(const text::AttentionMatrix& map, std::size_t t, const std::vector<float>& expected) {
  ASSERT_EQ(map.source.size(), expected.size());
  ASSERT_LT(t, map.target.size());
  for (std::size_t s = 0; s < expected.size(); ++s) EXPECT_FLOAT_EQ(map.at(t, s), expected[s]) << t << "," << s;
}

TEST(ByWords, SumsOverTheSourceAndAveragesOverTheTarget) {
  const text::AttentionMatrix words =
      by_words(subwords(), text::whitespace_words("un seen"), text::whitespace_words("ab c"));
  EXPECT_EQ(token_texts(words.source), (std::vector<std::string>{"un", "seen", "</s>"}));
  EXPECT_EQ(token_texts(words.target), (std::vector<std::string>{"ab", "c", "</s>"}));
  EXPECT_TRUE(words.source_end && words.target_end);
  expect_row(words, 0, {0.3F, 0.4375F, 0.2625F});
  expect_row(words, 1, {0, 0, 1});
  expect_row(words, 2, {0.25F, 0.5F, 0.25F});
}

TEST(ByWords, DividesATokenAmongTheWordsItCovers) {
  const text::AttentionMatrix map{.source = {token("lake.", 0, 5)}, .target = {token("See.", 0, 4)}, .weights = {0.5F}};
  const std::vector<text::Token> source = {token("lake", 0, 4), token(".", 4, 5)};
  const std::vector<text::Token> target = {token("See", 0, 3), token(".", 3, 4)};
  const text::AttentionMatrix words = by_words(map, source, target);
  expect_row(words, 0, {0.25F, 0.25F});
  expect_row(words, 1, {0.25F, 0.25F});
}

TEST(ByWords, KeepsTheWeightOfTokensOutsideAnyWord) {
  // A space at the start, one between words, and a word without tokens.
  const text::AttentionMatrix map{
      .source = {token("\u2581", 0, 1), token("a", 1, 2), token("\u2581", 2, 2), token("b", 3, 4)},
      .target = {token("x", 0, 1)},
      .weights = {0.125F, 0.25F, 0.5F, 0.0625F}};
  const std::vector<text::Token> source = {token("a", 1, 2), token("b", 3, 4), token("!", 5, 6)};
  const text::AttentionMatrix words = by_words(map, source, text::whitespace_words("x y"));
  expect_row(words, 0, {0.875F, 0.0625F, 0});
  expect_row(words, 1, {0, 0, 0});
}

TEST(ByWords, WorksWithoutAttentionAndWithoutWords) {
  text::AttentionMatrix map = subwords();
  map.weights.clear();
  const text::AttentionMatrix words = by_words(map, text::whitespace_words("un seen"), text::whitespace_words("ab c"));
  EXPECT_EQ(words.source.size(), 3u);
  EXPECT_FALSE(words.has_weights());
  const text::AttentionMatrix none = by_words(subwords(), {}, {});
  ASSERT_EQ(none.source.size(), 1u);
  expect_row(none, 0, {0.25F});
}

}  // namespace
}  // namespace heed::testing
