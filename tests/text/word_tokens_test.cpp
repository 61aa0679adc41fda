#include "text/word_tokens.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Places = std::vector<std::vector<std::size_t>>;

std::vector<Token> spans(std::vector<Span> of) {
  std::vector<Token> tokens;
  for (const Span& span : of) tokens.push_back({"", span});
  return tokens;
}

TEST(WordTokens, PiecesGoWithTheirWord) {
  // "un seen": un | se en
  EXPECT_EQ(words_of_tokens(spans({{0, 2}, {3, 5}, {5, 7}}), spans({{0, 2}, {3, 7}})), (Places{{0}, {1}, {1}}));
}

TEST(WordTokens, ATokenMayBePartOfSeveralWords) {
  EXPECT_EQ(words_of_tokens(spans({{0, 6}, {6, 7}}), spans({{0, 2}, {3, 5}, {5, 7}})), (Places{{0, 1, 2}, {2}}));
}

TEST(WordTokens, WhatIsInNoWordGoesWithTheOneBefore) {
  // A lone space in front, between and behind, and an empty span.
  EXPECT_EQ(words_of_tokens(spans({{0, 1}, {3, 4}, {6, 7}, {4, 4}}), spans({{1, 3}, {4, 6}})),
            (Places{{0}, {0}, {1}, {0}}));
  EXPECT_EQ(words_of_tokens(spans({{0, 1}}), {}), (Places{{}}));
  EXPECT_EQ(words_of_tokens({}, spans({{0, 1}})), Places{});
}

TEST(WordTokens, ARunOfTokensCoversItsFirstToItsLastWord) {
  const std::vector<Token> words = spans({{0, 2}, {3, 5}, {6, 8}, {9, 11}});
  const auto covered = [&](const std::vector<Token>& tokens) {
    const std::span<const Token> run = covered_words(words, tokens);
    return std::pair(run.empty() ? 0 : run.data() - words.data(), run.size());
  };
  EXPECT_EQ(covered(spans({{4, 5}, {5, 7}, {8, 8}})), std::pair(1L, 2UL));
  EXPECT_EQ(covered(spans({{0, 11}})), std::pair(0L, 4UL));
  EXPECT_EQ(covered(spans({{5, 6}})), std::pair(0L, 0UL));
  EXPECT_EQ(covered({}), std::pair(0L, 0UL));
}

}  // namespace
}  // namespace heed
