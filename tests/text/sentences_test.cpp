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

TEST(Sentences, EndAfterAnAbbreviationOnlyBeforeACapital) {
  EXPECT_EQ(sentences("Dogs, cats, etc. are animals. Dogs, cats, etc. They are animals."),
            (Texts{"Dogs, cats, etc. are animals.", "Dogs, cats, etc.", "They are animals."}));
  EXPECT_EQ(sentences("Tools (e.g. Make) help. See No. 5. No. That is all."),
            (Texts{"Tools (e.g. Make) help.", "See No. 5.", "No.", "That is all."}));
  EXPECT_EQ(sentences("Das ist z. B. Käse (z.B. Gouda). In den EE. UU. nicht.", "de"),
            (Texts{"Das ist z. B. Käse (z.B. Gouda).", "In den EE. UU. nicht."}));
}

TEST(Sentences, DoNotEndAfterInitials) {
  EXPECT_EQ(sentences("J. R. R. Tolkien wrote it. Richard M. Stallman did not. It follows from B. We stop."),
            (Texts{"J. R. R. Tolkien wrote it.", "Richard M. Stallman did not.", "It follows from B.", "We stop."}));
}

TEST(Sentences, DoNotEndAfterOrdinals) {
  EXPECT_EQ(sentences("Am 3. Mai kam er. Das war 2007. Dann ging er.", "de"),
            (Texts{"Am 3. Mai kam er.", "Das war 2007.", "Dann ging er."}));
  EXPECT_EQ(sentences("He ate 3. May ate 4.", "en"), (Texts{"He ate 3.", "May ate 4."}));
}

TEST(Sentences, MayStartWithLowerCaseAfterALongWord) {
  EXPECT_EQ(sentences("it was running. it stopped. approx. three of them barked. 396 did not."),
            (Texts{"it was running.", "it stopped.", "approx. three of them barked.", "396 did not."}));
  EXPECT_EQ(sentences("\"Stop!\" said the man. Yahoo! is a word."),
            (Texts{"\"Stop!\" said the man.", "Yahoo! is a word."}));
  EXPECT_EQ(sentences("Well... maybe. The file . (one dot) is here."),
            (Texts{"Well... maybe.", "The file . (one dot) is here."}));
}

TEST(Sentences, EndBeforeValues) {
  EXPECT_EQ(
      sentences("We see it. {name} sleeps. %s eats. %1$d run. ${x} is. We met \u00FCber. $5 is all."),
      (Texts{"We see it.", "{name} sleeps.", "%s eats.", "%1$d run.", "${x} is.", "We met \u00FCber.", "$5 is all."}));
  EXPECT_EQ(sentences("We see it. 12 dogs sleep. https://x.org is down. `ls` works. \"{a}\" too. <b>{x}</b> ends."),
            (Texts{"We see it.", "12 dogs sleep.", "https://x.org is down.", "`ls` works.", "\"{a}\" too.",
                   "<b>{x}</b> ends."}));
  EXPECT_EQ(sentences("We see it. <b>The dog</b> sleeps. <i>it</i> may."),
            (Texts{"We see it.", "<b>The dog</b> sleeps.", "<i>it</i> may."}));
  EXPECT_EQ(sentences("Is it? https://x.org says so! {name} too."),
            (Texts{"Is it?", "https://x.org says so!", "{name} too."}));
  EXPECT_EQ(sentences("That was in 1990. 12 dogs came. Er kam. 12 Hunde auch.", "de"),
            (Texts{"That was in 1990.", "12 dogs came.", "Er kam.", "12 Hunde auch."}));
}

TEST(Sentences, DoNotEndBeforeTheValuesOfAbbreviations) {
  for (const std::string text :
       {"See fig. 3 and no. 5, p. 7.", "Ask Mr. {name} or Dr. %s.", "It takes max. 12 or approx. %d hours.", "Nr. {n}",
        "1. {name}", "v. 2", "On Sept. 5 it was e.g. https://x.org.", "the U.S. 5 times", "Well... 12 dogs",
        "We met at 5 p.m. {day}", "See Vol. 5 or sec. {n}."})
    EXPECT_EQ(sentences(text), Texts{text});
}

TEST(Sentences, KeepClosingMarks) {
  EXPECT_EQ(sentences("Il dit « allez ! ». Nous (ou vous ?) partons. (Oui.) Non.", "fr"),
            (Texts{"Il dit « allez ! ».", "Nous (ou vous ?) partons.", "(Oui.)", "Non."}));
  EXPECT_EQ(sentences("It costs 3.50 euros at shop.com.Buy it! See a.b.c."),
            (Texts{"It costs 3.50 euros at shop.com.Buy it!", "See a.b.c."}));
}

TEST(Sentences, EndAtLineEnds) {
  EXPECT_EQ(sentences("a heading\nand text"), (Texts{"a heading", "and text"}));
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
