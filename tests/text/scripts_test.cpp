#include "text/scripts.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heed {
namespace {

TEST(Scripts, OnlyLettersHaveAScript) {
  EXPECT_EQ(text::script_name(text::script_of(U'a')), "Latin");
  EXPECT_EQ(text::script_of(U'ß'), text::script_of(U'a'));
  EXPECT_EQ(text::script_name(text::script_of(U'ж')), "Cyrillic");
  EXPECT_EQ(text::script_name(text::script_of(U'α')), "Greek");
  EXPECT_EQ(text::script_name(text::script_of(U'漢')), "Han and kana");
  EXPECT_EQ(text::script_of(U'ひ'), text::script_of(U'漢'));
  EXPECT_EQ(text::script_of(U'カ'), text::script_of(U'漢'));
  for (const char32_t c : {U'1', U'.', U' ', U'\u0301', U'😀', U'\0', char32_t{0xD800}, char32_t{0x10FFFF},
                           char32_t{0x110000}, char32_t{0xFFFFFFFF}})
    EXPECT_EQ(text::script_of(c), text::kNoScript) << static_cast<std::uint32_t>(c);
  EXPECT_EQ(text::script_name(text::kNoScript), "none");
  for (int script = 0; script < 256; ++script)
    EXPECT_FALSE(text::script_name(static_cast<text::Script>(script)).empty());
}

TEST(Scripts, KnowsTheScriptsOfALanguage) {
  const auto has = [](const std::string& language, char32_t letter) {
    const auto scripts = text::scripts_of_language(language);
    return std::ranges::find(scripts, text::script_of(letter)) != scripts.end();
  };
  EXPECT_TRUE(has("de", U'a') && has("en-GB", U'a') && has("ru", U'ж') && has("el", U'α') && has("sr-Latn", U'a'));
  EXPECT_TRUE(has("ja", U'カ') && has("zh", U'漢') && has("ko", U'한') && has("ko", U'漢'));
  EXPECT_FALSE(has("de", U'ж') || has("ru", U'a') || has("sr-Latn", U'ж'));
  for (const char* unknown : {"", "xx", "d", "Latin", "source", "txt2", "-de"})
    EXPECT_TRUE(text::scripts_of_language(unknown).empty()) << unknown;
}

TEST(Scripts, FoldsCase) {
  EXPECT_EQ(text::fold_case(U'Ä'), U'ä');
  EXPECT_EQ(text::fold_case(U'Ж'), U'ж');
  EXPECT_EQ(text::fold_case(U'ς'), U'σ');
  EXPECT_EQ(text::fold_case(U'1'), U'1');
}

}  // namespace
}  // namespace heed
