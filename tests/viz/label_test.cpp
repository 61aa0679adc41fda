#include "viz/label.h"

#include <gtest/gtest.h>

namespace heed::viz {
namespace {

TEST(Label, CleanLabelReplacesControlCharacters) {
  EXPECT_EQ(clean_label("Haus"), "Haus");
  EXPECT_EQ(clean_label(""), "∅");
  EXPECT_EQ(clean_label("a\nb\x1b[31m\x7f"), "a␊b␛[31m␡");
  EXPECT_EQ(clean_label(std::string_view("\0x", 2)), "␀x");
  EXPECT_EQ(clean_label("\xff\xc0"), "\uFFFD\uFFFD");
  // Right-to-left override, line separator, next line, a code point that XML forbids.
  EXPECT_EQ(clean_label("a\u202Eb\u2028c\u0085\uFFFF"), "a\uFFFDb\uFFFDc\uFFFD\uFFFD");
  EXPECT_EQ(terminal_columns(clean_label(std::string(10'000, 'x'))), 10'000u) << "a label may be long";
}

TEST(Label, CountsTerminalColumns) {
  EXPECT_EQ(terminal_columns("Straße"), 6U);
  EXPECT_EQ(terminal_columns("学习"), 4U);
  EXPECT_EQ(terminal_columns("한국어"), 6U);
  EXPECT_EQ(terminal_columns("🙂"), 2U);
  EXPECT_EQ(terminal_columns("e\u0301"), 1U);
  EXPECT_EQ(terminal_columns("👩‍👩‍👧"), 2U);
  EXPECT_EQ(terminal_columns("🇩🇪"), 2U);
  EXPECT_EQ(terminal_columns("👍🏽"), 2U);
  EXPECT_EQ(terminal_columns("\u1112\u1161\u11AB"), 2U);  // 한 as three letters
  EXPECT_EQ(terminal_columns("नि"), 2U);
  EXPECT_EQ(terminal_columns(""), 0U);
}

TEST(Label, ShortensToTheWidth) {
  EXPECT_EQ(shorten_to_columns("Haus", 4), "Haus");
  EXPECT_EQ(shorten_to_columns("Häuser", 4), "Häu…");
  EXPECT_EQ(shorten_to_columns("学习机器", 4), "学…");
  EXPECT_EQ(shorten_to_columns("学", 1), "…");
  for (const char* word : {"Donaudampfschifffahrt", "学习机器翻译学习机器翻译", "🙂🙂🙂🙂🙂🙂🙂🙂"}) {
    const std::string cut = shorten_to_ems(word, 6);
    EXPECT_LE(em_width(cut), 6) << cut;
    EXPECT_TRUE(cut.ends_with("…")) << cut;
  }
}

TEST(Label, WiderTextIsWider) {
  EXPECT_LT(em_width("ill"), em_width("mmm"));
  EXPECT_LT(em_width("abc"), em_width("学习机"));
  EXPECT_EQ(em_width(""), 0);
}

TEST(Label, EscapesMarkup) {
  EXPECT_EQ(escape_markup("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

}  // namespace
}  // namespace heed::viz
