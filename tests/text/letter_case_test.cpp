#include "text/letter_case.h"

#include <gtest/gtest.h>

namespace heed::text {
namespace {

TEST(LetterCase, ChangesLettersOfAllScripts) {
  EXPECT_EQ(upper_case("Straße ﬁx ǆ дом 日本 i1"), "STRASSE FIX Ǆ ДОМ 日本 I1");
  EXPECT_EQ(upper_case("iı", "tr"), "İI");
  EXPECT_EQ(to_lower_case('I', "tr-TR"), U'ı');
  EXPECT_EQ(to_lower_case('I'), U'i');
  EXPECT_EQ(to_lower_case(U'Ж'), U'ж');
  EXPECT_EQ(title_case("the old man's dog, élan vital"), "The Old Man's Dog, Élan Vital");
  EXPECT_EQ(title_case(""), "");
}

TEST(LetterCase, KnowsWhichLettersHaveCase) {
  for (const char32_t c : {U'A', U'Ä', U'Ж', U'ǅ'}) EXPECT_TRUE(is_upper_case(c) && !is_lower_case(c));
  for (const char32_t c : {U'a', U'ß', U'ж'}) EXPECT_TRUE(is_lower_case(c) && !is_upper_case(c));
  for (const char32_t c : {U'1', U'日', U'.', U'ا'}) EXPECT_FALSE(is_lower_case(c) || is_upper_case(c));
}

}  // namespace
}  // namespace heed::text
