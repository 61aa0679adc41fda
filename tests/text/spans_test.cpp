#include "text/spans.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Indices = std::vector<std::vector<std::size_t>>;

std::vector<text::Token> spans(std::vector<text::Span> of) {
  std::vector<text::Token> tokens;
  for (const text::Span& span : of) tokens.push_back({"", span});
  return tokens;
}

TEST(WordsOfTokens, SubwordsBelongToTheirWord) {
  // "un seen": un | se en
  EXPECT_EQ(words_of_tokens(spans({{0, 2}, {3, 5}, {5, 7}}), spans({{0, 2}, {3, 7}})), (Indices{{0}, {1}, {1}}));
}

TEST(WordsOfTokens, ATokenMayOverlapSeveralWords) {
  EXPECT_EQ(words_of_tokens(spans({{0, 6}, {6, 7}}), spans({{0, 2}, {3, 5}, {5, 7}})), (Indices{{0, 1, 2}, {2}}));
}

TEST(WordsOfTokens, ATokenOutsideWordsBelongsToThePreviousOne) {
  // A lone space before, between and after the words, and an empty span.
  EXPECT_EQ(words_of_tokens(spans({{0, 1}, {3, 4}, {6, 7}, {4, 4}}), spans({{1, 3}, {4, 6}})),
            (Indices{{0}, {0}, {1}, {0}}));
  EXPECT_EQ(words_of_tokens(spans({{0, 1}}), {}), (Indices{{}}));
  EXPECT_EQ(words_of_tokens({}, spans({{0, 1}})), Indices{});
}

TEST(WordsIn, FindsTheWordsThatASpanOverlaps) {
  const std::vector<text::Token> words = spans({{0, 2}, {3, 5}, {5, 7}});
  const auto in = [&](text::Span span) {
    const auto found = words_in(words, span);
    return std::pair(found.data() - words.data(), found.size());
  };
  EXPECT_EQ(in({0, 7}), std::pair(std::ptrdiff_t{0}, std::size_t{3}));
  EXPECT_EQ(in({1, 4}), std::pair(std::ptrdiff_t{0}, std::size_t{2}));
  EXPECT_EQ(in({5, 6}), std::pair(std::ptrdiff_t{2}, std::size_t{1}));
  EXPECT_EQ(in({2, 3}), std::pair(std::ptrdiff_t{1}, std::size_t{0}));
  EXPECT_EQ(in({9, 9}), std::pair(std::ptrdiff_t{3}, std::size_t{0}));
}

TEST(WordsIn, FindsTheWordsOfARunOfTokens) {
  const std::vector<text::Token> words = spans({{0, 2}, {3, 5}, {6, 8}, {9, 11}});
  const auto in = [&](const std::vector<text::Token>& tokens) {
    const auto found = words_in(words, tokens);
    return std::pair(found.data() - words.data(), found.size());
  };
  EXPECT_EQ(in(spans({{4, 5}, {5, 7}, {8, 8}})), std::pair(std::ptrdiff_t{1}, std::size_t{2}));
  EXPECT_EQ(in(spans({{0, 11}})), std::pair(std::ptrdiff_t{0}, std::size_t{4}));
  EXPECT_EQ(in({}), std::pair(std::ptrdiff_t{0}, std::size_t{0}));
}

TEST(Spans, ShiftsAllTokens) {
  std::vector<text::Token> tokens = spans({{0, 2}, {3, 5}});
  EXPECT_EQ(text::end_of({}), 0u);
  shift(tokens, 4);
  EXPECT_EQ(tokens[1].span, (text::Span{7, 9}));
  EXPECT_EQ(end_of(tokens), 9u);
}

}  // namespace
}  // namespace heed
