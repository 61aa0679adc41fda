#include "text/languages.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Languages, a_key_is_the_code_whatever_the_language_of_the_name) {
  for (const char* german : {"de", "DE", "de-AT", "deu", "ger", "German", "deutsch", "Allemand", "alemán", "aleman"})
    EXPECT_EQ(text::language_key(german), "de") << german;
  EXPECT_EQ(text::language_key("englisch"), "en");
  EXPECT_EQ(text::language_key("xx-YY"), "xx");
}

TEST(Languages, an_abbreviation_begins_the_names_of_one_language) {
  EXPECT_EQ(text::find_language_abbreviation("Engl"), "en");
  EXPECT_EQ(text::find_language_abbreviation("Dt"), "de");
  EXPECT_EQ(text::find_language_abbreviation("franz"), "fr");
  EXPECT_EQ(text::find_language_abbreviation("Lat"), "") << "Latin or Latvian";
  EXPECT_EQ(text::find_language_abbreviation("En"), "");
  EXPECT_EQ(text::find_language_abbreviation("Satz"), "");
}

TEST(Languages, are_described_in_english) {
  EXPECT_EQ(text::describe_language("de"), "German (de)");
  EXPECT_EQ(text::describe_language("de-AT"), "German (de-AT)");
  for (const char* name : {"German", "Deutsch", "Allemand"}) EXPECT_EQ(text::describe_language(name), "German (de)");
  EXPECT_EQ(text::describe_language("Klingon"), "Klingon");
}

}  // namespace
}  // namespace heed
