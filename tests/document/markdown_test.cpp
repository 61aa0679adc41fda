#include <gtest/gtest.h>

#include <algorithm>

#include "document/fake_translator.h"
#include "document/markdown_inline.h"
#include "document/random_parts.h"

namespace heed::document {
namespace {

using testing::backwards;
using testing::same_text;
using testing::translate_text;
using testing::upper;

std::string markdown(const std::string& document, testing::FakeTranslation translation = upper) {
  return translate_text("markdown", document, translation);
}

TEST(Markdown, TranslatesTheTextOfBlocks) {
  EXPECT_EQ(markdown("# Title #\n\nOne line\nand another.\n\nUnder\n=====\ntext\n"),
            "# TITLE #\n\nONE LINE AND ANOTHER.\n\nUNDER\n=====\nTEXT\n");
  EXPECT_EQ(markdown("- one\n- two\n  more\n\n  > quote\n  > goes on\n\n1. three\n2) four\n* [x] task\n"),
            "- ONE\n- TWO MORE\n\n  > QUOTE GOES ON\n\n1. THREE\n2) FOUR\n* [x] TASK\n");
  EXPECT_EQ(markdown("a | b\n--|:-:\nc \\| d | `e`\n| f |\n\ng\n"), "A | B\n--|:-:\nC \\| D | `e`\n| F |\n\nG\n");
  EXPECT_EQ(markdown("one  \ntwo\\\nthree\r\nfour\r\n"), "ONE  \nTWO\\\nTHREE FOUR\r\n");
}

TEST(Markdown, KeepsWhatIsNotText) {
  for (const char* document :
       {"```sh\nmake test\n```\n", "~~~~\na\n~~~\nb\n~~~~\n", "    code\n\n    more\n", "---\ntitle: text\n---\n",
        "<div>\ntext\n</div>\n", "<!-- text\n\ntext -->\n", "[label]: https://a.b 'text'\n", "***\n", "- - -\n",
        "<script>\nvar a;\n\nb\n</script>\n", "- item:\n\n      code\n\n"}) {
    const std::string kept = document;
    EXPECT_EQ(markdown(kept, same_text), kept);
    if (!kept.starts_with("- item")) {
      EXPECT_EQ(markdown(kept), kept);
    }
  }
  EXPECT_EQ(markdown("- item:\n\n      code\n\n  more\n"), "- ITEM:\n\n      code\n\n  MORE\n");
  EXPECT_EQ(markdown("> ```\n> code\n> ```\n> text\n"), "> ```\n> code\n> ```\n> TEXT\n");
  EXPECT_EQ(markdown("---\na: b\n---\ntext\n"), "---\na: b\n---\nTEXT\n");
}

TEST(Markdown, InlineMarkupFollowsItsWords) {
  EXPECT_EQ(markdown("one **two _three_** four", backwards), "RUOF **_EERHT_ OWT** ENO");
  EXPECT_EQ(markdown("see [the *link*](a/b_c.html \"title\") here", backwards),
            "EREH [*KNIL* EHT](a/b_c.html \"title\") EES");
  EXPECT_EQ(markdown("![an image](x.png) and `code()` or <https://a.b/c>"),
            "![AN IMAGE](x.png) AND `code()` OR <https://a.b/c>");
  EXPECT_EQ(markdown("a [text][ref] and [ref] [^1]\n\n[ref]: x\n"), "A [TEXT][ref] AND [ref] [^1]\n\n[ref]: x\n");
  EXPECT_EQ(markdown("~~old~~ ***both*** 2*3 snake_case a * b"), "~~OLD~~ ***BOTH*** 2\\*3 SNAKE_CASE A * B");
  EXPECT_EQ(markdown("a <b>bold</b> <br> <i>open", backwards), "<br> <b>DLOB</b> A <i>NEPO");
}

TEST(Markdown, DefinitionsAreBlocksOfTheirOwn) {
  EXPECT_EQ(markdown("[^1]: A note.\n"), "[^1]: A NOTE.\n");
  EXPECT_EQ(markdown("text\n[^1]: one\n[^b]: two\n  more\n[ref]: x.html \"title\"\ntext\n"),
            "TEXT\n[^1]: ONE\n[^b]: TWO MORE\n[ref]: x.html \"title\"\nTEXT\n");
  EXPECT_EQ(markdown("note [ref]\n[ref]: x\n"), "NOTE [ref]\n[ref]: x\n");
  EXPECT_EQ(markdown("he said\n[sic]: it is so\n"), "HE SAID \\[SIC\\]: IT IS SO\n");  // not an address
  EXPECT_EQ(markdown("Term\n: one\n  two\n:   three\n"), "TERM\n: ONE TWO\n:   THREE\n");
}

TEST(Markdown, KeepsFormulasAndDirectives) {
  EXPECT_EQ(markdown("see $x^2$, $a + b = c$ and $$y$$ now", backwards), "WON $$y$$ DNA $a + b = c$ ,$x^2$ EES");
  EXPECT_EQ(markdown("from $5 to $6 or US$, not $ a $ or \\$b$"), "FROM $5 TO $6 OR US\\$, NOT $ A $ OR \\$B\\$");
  EXPECT_EQ(markdown("text\n$$\nx = y\n\nz $$\ntext\n$$ x $$\ntext $$\n"),
            "TEXT\n$$\nx = y\n\nz $$\nTEXT\n$$ x $$\nTEXT \\$\\$\n");
  EXPECT_EQ(markdown("$$ is\nmoney\n"), "\\$\\$ IS MONEY\n");  // nothing closes it
  EXPECT_EQ(markdown(":::note\ntext\n:::\ntext\n{: .class}\n"), ":::note\nTEXT\n:::\nTEXT\n{: .class}\n");
  EXPECT_EQ(markdown("!!! note \"title\"\n    one\n    two\n\ntext\n\n    code\n"),
            "!!! note \"title\"\n    ONE TWO\n\nTEXT\n\n    code\n");
}

TEST(Markdown, EscapesWhatWouldBecomeMarkup) {
  EXPECT_EQ(markdown("a \\*b\\* &lt;c&gt; \\[d\\](e) 1 < 2"), "A \\*B\\* \\<C> \\[D\\](E) 1 < 2");
  EXPECT_EQ(markdown("a &copy; &amp;copy; b"), "A &copy; \\&COPY; B");
  const auto number = [](const text::MarkedText&) { return text::MarkedText{.text = "1. ab"}; };
  EXPECT_EQ(markdown("text\n", number), "1\\. ab\n");
  const auto heading = [](const text::MarkedText&) { return text::MarkedText{.text = "# ab"}; };
  EXPECT_EQ(markdown("text\n", heading), "\\# ab\n");
  const auto definition = [](const text::MarkedText&) { return text::MarkedText{.text = ": ab"}; };
  EXPECT_EQ(markdown("text\n", definition), "\\: ab\n");
}

TEST(Markdown, LeavesAParagraphWhoseMarkupWouldBreak) {
  // Emphasis that loses its words is left out; one that could not be read as such is refused.
  const auto empty = [](const text::MarkedText& marked) {
    text::MarkedText result = marked;
    result.text = "X Y";
    for (text::Mark& mark : result.marks) mark.span = {1, 1};
    return result;
  };
  EXPECT_EQ(markdown("one **two** three", empty), "X Y");
  EXPECT_EQ(markdown("one [two](x) three", empty), "X[](x) Y");
  const auto inside = [](const text::MarkedText& marked) {
    text::MarkedText result = marked;
    result.text = "a. b";
    for (text::Mark& mark : result.marks) mark.span = {0, 3};
    return result;
  };
  EXPECT_EQ(markdown("one **two** three", inside), "one **two** three");
}

class RandomMarkdown : testing::RandomParts {
 public:
  using RandomParts::RandomParts;
  std::string make() {
    std::string out;
    for (int i = below(20); i >= 0; --i)
      out += pick({"word",  "two words", " ",       "  ",     "\n",     "\n\n",     "*",     "**",        "_",
                   "`",     "``",        "[",       "]",      "](x)",   "][r]",     "!",     "<b>",       "</b>",
                   "<",     ">",         "# ",      "- ",     "1. ",    "> ",       "|",     "|-|-|\n",   "    ",
                   "```\n", "~~",        "\\",      "&amp;",  "&copy;", "[r]: x\n", "---\n", "===\n",     "<div>",
                   "\t",    "é",         "<a@b.c>", "(",      ")",      "\r\n",     "<!--",  "-->",       "$",
                   "$x$",   "$$",        ": ",      "[^n]: ", ":::\n",  "{: a}",    "!!! ",  "[r]: x y\n"});
    return out;
  }
};

TEST(Markdown, AnyDocumentKeepsItsMarkup) {
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    const std::string document = RandomMarkdown(seed).make();
    EXPECT_EQ(markdown(document, same_text), document);
    // In upper case, everything but letters, white space, escapes and the marks of quotes stays.
    const auto bones = [](std::string text) {
      for (std::size_t at = 0; (at = text.find("&#96;")) != text.npos;) text.replace(at, 5, "`");
      std::string out;
      for (const char c : text)
        if (std::isalpha(static_cast<unsigned char>(c)) == 0 && !std::isspace(static_cast<unsigned char>(c)) &&
            c != '\\' && c != '>')
          out += c;
      return out;
    };
    const std::string result = markdown(document);
    if (document.find('&') == document.npos && document.find("\\") == document.npos) {
      ASSERT_EQ(bones(result), bones(document)) << document << "\n---\n" << result;
    }
    // Nothing that was translated becomes markup: a second translation finds the same letters to translate.
    std::size_t before = 0, after = 0;
    std::vector<text::MarkedText> first, second;
    translate_text("markdown", document, same_text, &first);
    translate_text("markdown", result, same_text, &second);
    for (const text::MarkedText& segment : first) before += segment.marks.size();
    for (const text::MarkedText& segment : second) after += segment.marks.size();
    ASSERT_EQ(first.size(), second.size()) << document << "\n---\n" << result;
    ASSERT_EQ(before, after) << document << "\n---\n" << result;
  }
}

}  // namespace
}  // namespace heed::document
