#include "data/augment.h"

#include <gtest/gtest.h>

#include <set>

namespace heed::data {
namespace {

Random random_of(std::uint32_t pair) {
  return {7, Stream::augment, pair};
}

TEST(Augment, ChangesTheGivenShareOfThePairs) {
  const AugmentOptions options{.kinds = {Noise::upper, Noise::punctuation}, .rate = 0.4};
  int upper = 0, punctuation = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    std::string source = "Yes, a dog.", target = "Ja, ein Hund.";
    augment(source, target, options, random_of(i));
    if (source == "YES, A DOG." && target == "JA, EIN HUND.")
      ++upper;
    else if (source == "Yes a dog" && target == "Ja, ein Hund.")
      ++punctuation;
    else
      ASSERT_EQ(source + target, "Yes, a dog.Ja, ein Hund.");
  }
  EXPECT_NEAR(upper, 400, 60);
  EXPECT_NEAR(punctuation, 400, 60);
}

TEST(Augment, WritesHeadlinesOnlyInEnglish) {
  for (const char* language : {"de", "en"}) {
    std::string source = "a small dog", target = "a small dog";
    augment(source, target, {.kinds = {Noise::title}, .rate = 1, .target_language = language}, random_of(1));
    EXPECT_EQ(source, "A Small Dog");
    EXPECT_EQ(target, std::string_view(language) == "en" ? "A Small Dog" : "a small dog");
  }
}

TEST(Augment, MakesTypingErrorsInLongWords) {
  const std::string line = "The elephants, 1234567 and ärzte {name} see 日本語日本語 cat";
  std::set<std::string> seen;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const std::string changed = add_typos(line, random_of(i));
    EXPECT_EQ(changed, add_typos(line, random_of(i)));
    EXPECT_TRUE(changed.starts_with("The e")) << changed;
    EXPECT_NE(changed.find(" 1234567 and "), changed.npos) << changed;
    EXPECT_TRUE(changed.ends_with(" cat")) << changed;
    seen.insert(changed.substr(4, changed.find(',') - 4));
  }
  EXPECT_TRUE(seen.contains("elephants"));
  EXPECT_TRUE(seen.contains("elehpants"));                                                           // swapped
  EXPECT_TRUE(seen.contains("elephats") || seen.contains("eephants") || seen.contains("elepants"));  // dropped
  EXPECT_TRUE(seen.contains("elephhants") || seen.contains("ellephants") || seen.contains("eelephants") ||
              seen.contains("elepphants"));  // doubled
  EXPECT_EQ(add_typos("", random_of(1)), "");
}

TEST(Augment, DropsPunctuationButNotNumbers) {
  EXPECT_EQ(drop_punctuation("Yes, 1,000 dogs."), "Yes 1,000 dogs");
  EXPECT_EQ(drop_punctuation("What?!"), "What");
  EXPECT_EQ(drop_punctuation("..."), "...");  // no empty side
}

struct RareWordsTest : ::testing::Test {
  const text::Vocabulary words{{"<sos>", "<eos>", "<unk>", "the", "dog", "Zoe", "cat"}, {.sos = 0, .eos = 1, .unk = 2}};
  const std::vector<std::int64_t> counts = {0, 0, 0, 100, 10, 1, 6};

  std::pair<std::vector<Id>, std::vector<Id>> replaced(std::vector<Id> source, std::vector<Id> target, double rate,
                                                       std::uint32_t pair = 0) const {
    replace_rare_words(source, target, {&words, counts}, {&words, counts}, rate, Random(1, Stream::unknown, pair));
    return {source, target};
  }
};

TEST_F(RareWordsTest, ReplacesWordsThatOccurOnceOnBothSides) {
  EXPECT_EQ(replaced({3, 4, 5, 1}, {5, 4, 1}, 1), std::pair(std::vector<Id>{3, 4, 2, 1}, std::vector<Id>{2, 4, 1}));
  EXPECT_EQ(replaced({3, 4, 5, 1}, {5, 4, 1}, 0), std::pair(std::vector<Id>{3, 4, 5, 1}, std::vector<Id>{5, 4, 1}));
  int count = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) count += replaced({5, 1}, {5, 1}, 0.25, i).first[0] == 2 ? 1 : 0;
  EXPECT_NEAR(count, 250, 50);
}

TEST_F(RareWordsTest, OtherwiseTheRarestWordsIfTheyOccurAboutEquallyOften) {
  EXPECT_EQ(replaced({3, 4, 1}, {3, 6, 4, 1}, 1), std::pair(std::vector<Id>{3, 2, 1}, std::vector<Id>{3, 2, 4, 1}));
  EXPECT_EQ(replaced({3, 1}, {4, 3, 1}, 1), std::pair(std::vector<Id>{3, 1}, std::vector<Id>{4, 3, 1}));
  EXPECT_EQ(replaced({1}, {4, 1}, 1), std::pair(std::vector<Id>{1}, std::vector<Id>{4, 1}));
}

}  // namespace
}  // namespace heed::data
