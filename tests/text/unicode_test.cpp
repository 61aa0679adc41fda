#include "text/unicode.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/utf8.h"

namespace heed {
namespace {

TEST(Unicode, DecodesEveryLengthAndEncodesItBack) {
  const std::string text = "a\u00e9\u6f22\U0001F600\u07ff\u0800\uffff\U00010000\U0010ffff";
  const std::u32string expected = U"a\u00e9\u6f22\U0001F600\u07ff\u0800\uffff\U00010000\U0010ffff";
  EXPECT_EQ(text::decode_utf8(text), expected);
  EXPECT_EQ(text::encode_utf8(expected), text);
  EXPECT_EQ(text::check_utf8(text).bad_bytes, 0u);
}

TEST(Unicode, CountsBadBytesAndReportsTheFirst) {
  std::u32string text;
  // A long run of ASCII first: reading eight bytes at a time ends inside it.
  const text::Utf8Report report = text::decode_utf8("twelve bytes\u00e9\xffok\xc3", text);
  EXPECT_EQ(report.bad_bytes, 2u);
  EXPECT_EQ(report.first_bad_byte, 14u);
  EXPECT_EQ(text, U"twelve bytes\u00e9\ufffdok\ufffd");
}

TEST(Unicode, RejectsOverlongFormsSurrogatesAndCodePointsBeyondUnicode) {
  for (const std::string_view bad :
       {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"})
    EXPECT_EQ(text::check_utf8(bad).bad_bytes, bad.size());
}

TEST(Unicode, AgreesWithTheByteByByteReaderOnRandomBytes) {
  const Random random(1, Stream::test);
  std::uint64_t at = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    const std::uint32_t size = random.below(at++, 40);
    // Few distinct values, so that valid sequences occur.
    constexpr std::string_view kBytes = "ab\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\xbf\xff";
    for (std::uint32_t i = 0; i < size; ++i) bytes += kBytes[random.below(at++, kBytes.size())];
    ASSERT_EQ(text::encode_utf8(text::decode_utf8(bytes)), replace_bad_utf8(bytes));
  }
}

TEST(Unicode, EncodesSurrogatesAsReplacementCharacters) {
  EXPECT_EQ(text::encode_utf8(std::u32string(1, char32_t{0xD800})), "\xEF\xBF\xBD");
  EXPECT_EQ(text::encode_utf8(std::u32string(1, char32_t{0x110000})), "\xEF\xBF\xBD");
}

TEST(Unicode, ByteOffsetsCountBytesOfEachCharacter) {
  EXPECT_EQ(text::byte_offsets("a\u00e9\u6f22b"), (std::vector<std::uint32_t>{0, 1, 3, 6, 7}));
  EXPECT_EQ(text::byte_offsets(""), (std::vector<std::uint32_t>{0}));
}

TEST(Unicode, ClassesFollowTheUnicodeProperties) {
  const text::CharacterClasses& classes = text::CharacterClasses::get();
  EXPECT_TRUE(classes.is('a', text::kAlphabetic));
  EXPECT_TRUE(classes.is(U'\u00e9', text::kLowerLetter));
  EXPECT_TRUE(classes.is(U'\u00aa', text::kLowercase));     // feminine ordinal: lower case by property only
  EXPECT_FALSE(classes.is(U'\u00aa', text::kLowerLetter));  // its category is Lo
  EXPECT_TRUE(classes.is(U'\u0663', text::kDecimal));       // Arabic-Indic three
  EXPECT_TRUE(classes.is(U'\u00bd', text::kNumber));        // one half
  EXPECT_FALSE(classes.is(U'\u00bd', text::kDecimal));
  EXPECT_TRUE(classes.is(U'\u2028', text::kSpace));
  EXPECT_TRUE(classes.is(U'\u00a0', text::kSpace));
  EXPECT_FALSE(classes.is(U'\u200b', text::kSpace));
  EXPECT_TRUE(classes.is(U'\u0301', text::kNonspacing));
  EXPECT_TRUE(classes.is(U'\u20ac', text::kCurrency));
  EXPECT_TRUE(classes.is(U'\U00020000', text::kLetter));  // beyond the table
  EXPECT_FALSE(classes.is(U'.', text::kAlphabetic | text::kNumber | text::kSpace));
}

TEST(Unicode, DigitsOfEveryScriptHaveAValue) {
  for (const auto& [c, value] :
       {std::pair{U'0', 0}, std::pair{U'9', 9}, std::pair{U'\u0663', 3}, std::pair{U'\u096F', 9}, std::pair{U'a', -1},
        std::pair{U'/', -1}, std::pair{U':', -1}, std::pair{U'\u00BD', -1}, std::pair{char32_t{0x110000}, -1}})
    EXPECT_EQ(text::digit_value(c), value) << static_cast<std::uint32_t>(c);
}

TEST(Unicode, MappedTextCoversTheOriginsOfItsCharacters) {
  text::MappedText text("abc");
  text.push('x', {0, 1});
  EXPECT_EQ(text.cover(1, 3), (text::Span{1, 3}));
  EXPECT_EQ(text.cover(2, 4), (text::Span{0, 3}));
  EXPECT_EQ(text.cover(2, 2), (text::Span{0, 0}));
  text.keep(1, 3);
  EXPECT_EQ(text.utf8(), "bc");
  EXPECT_EQ(text.origin(0), (text::Span{1, 2}));
}

}  // namespace
}  // namespace heed
