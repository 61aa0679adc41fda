#include "data/line_traits.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

data::LineTraits scan(std::string_view line) {
  data::LineScanner scanner;
  return scanner.scan(line);
}

TEST(LineTraits, NumbersAreReadInEveryNotation) {
  using Numbers = std::vector<std::uint64_t>;
  EXPECT_EQ(scan("no number").numbers, Numbers{});
  EXPECT_EQ(scan("7 of 12, in 2019").numbers, (Numbers{7, 12, 2019}));
  for (const char* thousands : {"1,234,567", "1.234.567", "1'234'567", "1 234 567", "1\u00A0234\u202F567", "1234567"})
    EXPECT_EQ(scan(thousands).numbers, Numbers{1234567}) << thousands;
  EXPECT_EQ(scan("05.03.2020").numbers, (Numbers{3, 5, 2020}));
  EXPECT_EQ(scan("2019 300").numbers, (Numbers{300, 2019})) << "four digits do not begin a number with thousands";
  EXPECT_EQ(scan("1,2345").numbers, (Numbers{1, 2345}));
  EXPECT_EQ(scan("1,").numbers, Numbers{1});
  EXPECT_EQ(scan("\u0663\u0664").numbers, Numbers{34}) << "Arabic digits";
  EXPECT_EQ(scan("x" + std::string(300, '9')).numbers.size(), 1u);
}

TEST(LineTraits, NumbersDifferUnlessOneSideWritesSmallOnesAsWords) {
  const auto differ = [](const char* a, const char* b) { return numbers_differ(scan(a), scan(b)); };
  EXPECT_FALSE(differ("1,000 men in 2019", "2019 waren es 1.000"));
  EXPECT_FALSE(differ("he has 5 dogs", "er hat fünf Hunde"));
  EXPECT_FALSE(differ("twelve", "12"));
  EXPECT_TRUE(differ("chapter 5", "Kapitel 6"));
  EXPECT_TRUE(differ("chapter 15", "Kapitel 51"));
  EXPECT_TRUE(differ("in 1999", "damals"));
  EXPECT_TRUE(differ("damals", "in 1999"));
  EXPECT_TRUE(differ("20 20", "20"));
}

TEST(LineTraits, TheShapeIgnoresCasePunctuationAndNumbers) {
  EXPECT_EQ(scan("Page 12!").shape_hash, scan("page, 7").shape_hash);
  EXPECT_NE(scan("Page 12").folded_hash, scan("page 7").folded_hash);
  EXPECT_NE(scan("Page 12").shape_hash, scan("page").shape_hash);
  EXPECT_NE(scan("Page 1").shape_hash, scan("Pages 1").shape_hash);
  EXPECT_EQ(scan("...").shape_hash, 0u);
}

TEST(LineTraits, TheFirstSignOfDamageMayBeTheFirstCharacter) {
  EXPECT_EQ(scan("a good line").odd_at, std::nullopt);
  EXPECT_EQ(scan("\uFFFD and \uFFFD").odd_at, 0u);
  EXPECT_EQ(scan("ü \x01 and \uFFFD").odd_at, 2u);
}

}  // namespace
}  // namespace heed
