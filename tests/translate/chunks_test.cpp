// Where long lines are split.
#include "translate/chunks.h"

#include <gtest/gtest.h>

#include "text/attention_matrix.h"

namespace heed::testing {
namespace {

using Ends = std::vector<std::size_t>;

Ends cut(std::string_view text, std::size_t limit, const char* kind = "whitespace") {
  return translate::split_into_chunks(text::make_tokenizer({.kind = kind, .language = "en"})->tokenize(text), limit);
}

TEST(Chunks, AShortLineStaysWhole) {
  EXPECT_EQ(cut("a b c", 3), (Ends{3}));
  EXPECT_EQ(cut("", 3), (Ends{0}));
}

TEST(Chunks, AreWholeSentencesIfTheyFit) {
  EXPECT_EQ(cut("a b. c d. e f. g", 5), (Ends{4, 7}));
  EXPECT_EQ(cut("a b. c d. e f.", 2), (Ends{2, 4, 6}));
  EXPECT_EQ(cut("Is it? \"Yes it is!\" (Well.) Good then", 6), (Ends{6, 8}));
}

TEST(Chunks, RecognizePunctuationTokens) {
  // Is it ? " Yes it is ! " Good then
  EXPECT_EQ(cut("Is it? \"Yes it is!\" Good then", 10, "words"), (Ends{9, 11}));
  EXPECT_EQ(cut("3.5 is not the end of it", 4, "words"), (Ends{4, 7}));
}

TEST(Chunks, NeedNoSpaceInScriptsWithoutSpaces) {
  EXPECT_EQ(cut("我们走。他来", 5, "characters"), (Ends{4, 6}));
}

TEST(Chunks, AreSplitBetweenWordsOrElseAtTheLimit) {
  // The spaces are tokens too: the split is before one.
  EXPECT_EQ(cut("abcd efgh", 6, "characters"), (Ends{4, 9}));
  EXPECT_EQ(cut("abcdefgh", 3, "characters"), (Ends{3, 6, 8}));
}

TEST(Chunks, AreFoundInLinearTime) {
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "word ";
  const Ends ends = cut(line, 500);
  EXPECT_EQ(ends.size(), 200u);
  EXPECT_EQ(ends.back(), 100'000u);
}

}  // namespace
}  // namespace heed::testing
