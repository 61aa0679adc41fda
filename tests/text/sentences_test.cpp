#include "text/sentences.h"

#include <gtest/gtest.h>

#include <random>

namespace heed::text {
namespace {

std::vector<std::string> sentences(const std::string& text, std::string_view language = "en") {
  SentenceSplitter splitter(language);
  std::vector<std::string> found;
  for (const ByteRange& range : splitter.split(text)) found.emplace_back(range.of(text));
  return found;
}
using Texts = std::vector<std::string>;

TEST(Sentences, EndAtFullStopsQuestionAndExclamationMarks) {
  EXPECT_EQ(sentences("A dog runs. Does it bark? Yes! It does."),
            (Texts{"A dog runs.", "Does it bark?", "Yes!", "It does."}));
  EXPECT_EQ(sentences("  One sentence without an end \t"), Texts{"One sentence without an end"});
  EXPECT_EQ(sentences(" \t "), Texts{});
  EXPECT_EQ(sentences(""), Texts{});
}

TEST(Sentences, DoNotEndAfterAbbreviations) {
  EXPECT_EQ(sentences("Dr. Smith met Mr. Jones. They talked."), (Texts{"Dr. Smith met Mr. Jones.", "They talked."}));
  EXPECT_EQ(sentences("Prof. Meier kommt z.B. heute. Er bleibt.", "de"),
            (Texts{"Prof. Meier kommt z.B. heute.", "Er bleibt."}));
}

TEST(Sentences, OfChineseNeedNoSpaces) {
  EXPECT_EQ(sentences("你好。你是谁？", "zh"), (Texts{"你好。", "你是谁？"}));
}

TEST(Sentences, HaveOnlyWhiteSpaceBetweenThem) {
  const std::string parts[] = {"A",  "b", ".",  "!", "?",  " ", "\t", "\u00A0",
                               "\"", ")", "Dr", "3", "。", "é", "\n", "…"};
  std::mt19937 random(7);
  SentenceSplitter splitter("en");
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text;
    for (unsigned n = random() % 30; n > 0; --n) text += parts[random() % std::size(parts)];
    std::size_t end = 0;
    const auto is_space = [](std::string_view between) {
      return between.find_first_not_of(" \t\n\xC2\xA0") == std::string_view::npos;
    };
    for (const ByteRange& sentence : splitter.split(text)) {
      ASSERT_LT(sentence.from, sentence.to) << text;
      ASSERT_LE(end, sentence.from) << text;
      ASSERT_TRUE(is_space(std::string_view(text).substr(end, sentence.from - end))) << text;
      end = sentence.to;
    }
    ASSERT_TRUE(is_space(std::string_view(text).substr(end))) << text;
  }
}

}  // namespace
}  // namespace heed::text
