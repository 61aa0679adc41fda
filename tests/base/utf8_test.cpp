#include "base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"

namespace heed {
namespace {

TEST(Utf8, recognizes_valid_sequences) {
  for (const char* good : {"", "abc", "é", "\u2028", "\U0010FFFF", "\uD7FF", "\uE000"})
    EXPECT_TRUE(is_valid_utf8(good));
  for (const char* bad : {"\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xf0\x9f\x98", "\xff", "a\xffz"})
    EXPECT_FALSE(is_valid_utf8(bad)) << bad;
  EXPECT_TRUE(is_valid_utf8(std::string_view("\0", 1)));
}

TEST(Utf8, replaces_invalid_bytes) {
  EXPECT_EQ(replace_bad_utf8("a\xff\u00e9\xe2\x82"), "a\uFFFDé\uFFFD\uFFFD");
  EXPECT_EQ(replace_bad_utf8("fine é"), "fine é");
  EXPECT_EQ(utf8_length("aé\u2028"), 3u);
}

TEST(Utf8, quotes_values_for_messages) {
  EXPECT_EQ(in_quotes("é"), "'é'");
  EXPECT_EQ(in_quotes("a\n\x1b[31m\xff"), "'a␊␛[31m\uFFFD'");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(60, 'x') + "…'");
}

TEST(Utf8, printable_text_stays) {
  // Letters, combining marks, right-to-left text, an emoji of several code points, and the joiners of Persian.
  for (const char* text : {"", "Haus, é", "e\u0301", "שלום", "👩\u200D👧\uFE0F", "می\u200Cخواهم", "\uFFFD", "\u00A0"})
    EXPECT_EQ(printable(text), text);
}

TEST(Utf8, printable_shows_what_could_control_a_terminal_or_hide_text) {
  EXPECT_EQ(printable(std::string_view("a\0b\r\n\t\x1b\x1f\x7f", 9)), "a␀b␍␊␉␛␟␡");
  EXPECT_EQ(printable("\xff\xc0"), "\uFFFD\uFFFD");
  for (const char32_t c :
       {0x80,   0x9B,   0x9F,   0xAD,   0x61C,  0x180E, 0x200B, 0x200E, 0x200F, 0x2028,  0x2029,  0x202A,  0x202E,
        0x2060, 0x2066, 0x2069, 0x206F, 0xFEFF, 0xFFF9, 0xFFFB, 0xFFFE, 0xFFFF, 0xE0001, 0xE0041, 0xE007F, 0x10FFFF}) {
    std::string text;
    if (c >= 0x10000)
      (text += static_cast<char>(0xF0 | c >> 18)) += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    else if (c >= 0x800)
      text += static_cast<char>(0xE0 | c >> 12);
    if (c >= 0x800)
      text += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    else
      text += static_cast<char>(0xC0 | c >> 6);
    text += static_cast<char>(0x80 | (c & 0x3F));
    ASSERT_TRUE(is_valid_utf8(text));
    EXPECT_EQ(printable("a" + text + "z"), "a\uFFFDz") << static_cast<std::uint32_t>(c);
  }
}

TEST(Utf8, printable_cuts_long_text_between_characters) {
  EXPECT_EQ(printable("äöü", 3), "äöü");
  EXPECT_EQ(printable("äöüß", 3), "äöü…");
  EXPECT_EQ(printable("\n\n\n", 2), "␊␊…");
  EXPECT_EQ(utf8_length(printable(std::string(10'000'000, 'x'))), kMaxPrintable + 1);
}

TEST(Error, every_text_in_a_message_is_printable_and_bounded) {
  const std::string hostile = "\x1b]0;" + std::string(1'000'000, 'x');
  const InputError error("'{}': the tensor {} has shape {}", std::string_view("a\0b", 3), hostile, 3);
  const std::string what = error.what();
  EXPECT_EQ(what.find("'a␀b': the tensor ␛]0;xxx"), 0u) << what;
  EXPECT_TRUE(what.ends_with("xxx… has shape 3")) << what;
  EXPECT_LT(what.size(), 2000u);
}

}  // namespace
}  // namespace heed
