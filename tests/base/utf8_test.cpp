#include "base/utf8.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(in_quotes("a\n\x1b[31m\xff"), "'a  [31m\uFFFD'");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(60, 'x') + "…'");
}

}  // namespace
}  // namespace heed
