#include "text/placeholders.h"

#include <gtest/gtest.h>

#include "text/spelled_numbers.h"
#include "text/tokenizer.h"

namespace heed::text {
namespace {

const std::string kFirst = "\uFDD0", kSecond = "\uFDD1";

// Masked as in a pair that was drawn.
std::pair<std::string, std::string> masked(std::string source, std::string target) {
  for (std::uint32_t index = 0;; ++index) {
    const Random random(0, Stream::placeholder, index);
    if (random.bits(0) % 2 != 0) continue;
    mask_pair(source, target, random);
    return {source, target};
  }
}
using Pair = std::pair<std::string, std::string>;

TEST(Placeholders, ReplaceSpansThatBothSidesHave) {
  EXPECT_EQ(masked("Open %s in {dir}.", "Öffne in {dir} die Datei %s."),
            Pair("Open " + kFirst + " in " + kSecond + ".", "Öffne in " + kSecond + " die Datei " + kFirst + "."));
  EXPECT_EQ(masked("%s and %s", "%s"), Pair(kFirst + " and %s", kFirst));
  EXPECT_EQ(masked("1999 and 3.5", "1999 und 3,5"), Pair(kFirst + " and 3.5", kFirst + " und 3,5"));
  EXPECT_EQ(masked("5 <b>dogs</b> 😀", "5 <b>Hunde</b> 😀"), Pair("5 <b>dogs</b> 😀", "5 <b>Hunde</b> 😀"));
}

TEST(Placeholders, AreNeverInTheTextItself) {
  EXPECT_EQ(masked(kFirst + " %s", "%s"), Pair("\uFFFD " + kFirst, kFirst));
}

TEST(Placeholders, ReplaceNoMoreThanThereAre) {
  std::string many, expected;
  for (std::size_t i = 0; i < kPlaceholders + 2; ++i) {
    many += "{a" + std::to_string(i) + "} ";
    expected += (i < kPlaceholders ? placeholder_tokens()[i] : "{a" + std::to_string(i) + "}") + " ";
  }
  EXPECT_EQ(masked(many, many), Pair(expected, expected));
}

TEST(Placeholders, AreLearnedFromHalfOfThePairs) {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    std::string source = "%s", target = "%s";
    count += mask_pair(source, target, Random(0, Stream::placeholder, i));
    EXPECT_EQ(source, target);
  }
  EXPECT_NEAR(static_cast<double>(count), 500, 60);
}

TEST(Placeholders, AreTokensOfTheirOwn) {
  for (const char* kind : {"words", "characters"}) {
    for (const std::vector<std::string>& steps :
         {std::vector<std::string>{}, {"nfkc", "casefold", "strip-accents", "punctuation"}}) {
      const auto tokenizer = make_tokenizer({.kind = kind, .language = "de", .normalize = steps});
      std::size_t found = 0;
      const auto tokens = tokenizer->tokenize("a(" + kFirst + "s, x" + kSecond + ".");
      for (const Token& token : tokens) found += token.text == kFirst || token.text == kSecond;
      EXPECT_EQ(found, 2u) << kind;
    }
  }
}

TEST(SpelledNumbers, HaveTheFormsOfTheLanguage) {
  const SpelledNumbers german("de"), english("en"), none(""), unknown("xx");
  for (const char* word : {"ein", "eine", "Einen", "eins", "erste"}) EXPECT_TRUE(german.spells(word, 1)) << word;
  EXPECT_TRUE(german.spells("Vier", 4));
  EXPECT_TRUE(english.spells("four", 4));
  EXPECT_FALSE(german.spells("vier", 5));
  EXPECT_FALSE(german.spells("viel", 4));
  EXPECT_FALSE(none.spells("four", 4));
  EXPECT_FALSE(unknown.spells("four", 4));
}

}  // namespace
}  // namespace heed::text
