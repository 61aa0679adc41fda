#include "text/normalize.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"

namespace heed {
namespace {

std::string normalize(std::vector<std::string> steps, std::string_view text, std::string_view language = "") {
  return text::Normalizer(steps, language).apply(text);
}

TEST(Normalize, ComposesCanonically) {
  EXPECT_EQ(normalize({"nfc"}, "e\u0301 \u1100\u1161 A\u030a"), "\u00e9 \uac00 \u00c5");
  EXPECT_EQ(normalize({"nfc"}, "\ufb01 \u212b"), "\ufb01 \u00c5");
  EXPECT_EQ(normalize({"nfkc"}, "\ufb01\u00a0\u00b2"), "fi 2");
  EXPECT_EQ(normalize({"nfkc"}, "plain"), "plain");
}

TEST(Normalize, LowerCaseHandlesFinalSigmaAndDottedI) {
  EXPECT_EQ(normalize({"lowercase"}, "ABC \u00c4\u00d6 \u0391\u03a3 \u03a3\u0391"),
            "abc \u00e4\u00f6 \u03b1\u03c2 \u03c3\u03b1");
  EXPECT_EQ(normalize({"lowercase"}, "\u0130x"), "i\u0307x");
  EXPECT_EQ(normalize({"casefold"}, "Stra\u00dfe \u03a3"), "strasse \u03c3");
}

TEST(Normalize, StripsAccents) {
  EXPECT_EQ(normalize({"strip-accents"}, "\u00c9t\u00e9 \u00e7a e\u0301 \u00f8 \u1ec7"), "Ete ca e \u00f8 e");
}

TEST(Normalize, SeparatesAndKeepsLettersOnly) {
  EXPECT_EQ(normalize({"separate-punctuation"}, "a.b!?"), "a .b ! ?");
  EXPECT_EQ(normalize({"letters-only"}, "it's 5 o'clock. \u00e9"), "it s o clock. ");
}

TEST(Normalize, CollapsesAndTrimsWhiteSpace) {
  EXPECT_EQ(normalize({"collapse-whitespace"}, "\t a \u00a0\u2028 b"), " a b");
  EXPECT_EQ(normalize({"trim"}, "\u3000 a b \n"), "a b");
  EXPECT_EQ(normalize({"trim"}, " \t "), "");
}

TEST(Normalize, AppliesStepsInOrder) {
  EXPECT_EQ(normalize({"strip-accents", "letters-only"}, "\u00e9a"), "ea");
  EXPECT_EQ(normalize({"letters-only", "strip-accents"}, "\u00e9a"), " a");
}

TEST(Normalize, AnUnknownStepIsAnErrorThatListsTheKnownOnes) {
  try {
    normalize({"nfd"}, "");
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'nfd'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("strip-accents"), std::string::npos);
  }
}

TEST(Normalize, CharactersKeepTheirOrigin) {
  text::MappedText text("xe\u0301\u00df \u2026");
  const std::vector<std::string> steps = {"nfc", "casefold", "punctuation"};
  text::Normalizer(steps, "de").apply(text);
  EXPECT_EQ(text.utf8(), "x\u00e9ss ...");
  EXPECT_EQ(text.origin(1), (text::Span{1, 3}));
  EXPECT_EQ(text.origin(2), (text::Span{3, 4}));
  EXPECT_EQ(text.origin(3), (text::Span{3, 4}));
  EXPECT_EQ(text.cover(5, 8), (text::Span{5, 6}));
}

// On a line this long, an insertion sort of marks of alternating class would take hours.
TEST(Normalize, LinesOfMarksAndSigmasTakeLinearTime) {
  std::string marks, sigmas;
  for (int i = 0; i < 500'000; ++i) {
    marks += i % 2 ? "\u0301" : "\u0316";
    sigmas += i % 3 ? "'" : "\u03a3";
  }
  EXPECT_EQ(text::check_utf8(normalize({"nfc", "nfkc", "strip-accents"}, marks)).bad_bytes, 0u);
  EXPECT_EQ(text::decode_utf8(normalize({"lowercase"}, sigmas)).size(), 500'000u);
}

struct PunctuationCase {
  std::string_view language, before, after;
};

// The output of Moses' normalize-punctuation on these lines.
TEST(Punctuation, EqualsMoses) {
  const PunctuationCase cases[] = {
      {"de", "\u201eHallo\u201c, sagte er.", "\"Hallo\", sagte er."},
      {"de", "Er sagte \u201eHallo.\u201c", "Er sagte \"Hallo\"."},
      {"de", "Er sagte \u201eHallo,\u201c und ging", "Er sagte \"Hallo\", und ging"},
      {"de", "er sagte \"Hallo.\" <b>", "er sagte \"Hallo\". <b>"},
      {"de", "er sagte \"Hallo.\"<b>", "er sagte \"Hallo.\"<b>"},
      {"en", "\u201cHello\u201d, he said.", "\"Hello,\" he said."},
      {"en", "\"yes\"., no", "\"yes.,\" no"},
      {"cs", "\u201eAhoj.\u201c", "\"Ahoj.\""},
      {"en", "a ( b ) c(d)e", "a (b) c (d) e"},
      {"en", "(a) , (b) ?", " (a), (b)?"},
      {"en", "50 % of it : yes ; no", "50% of it: yes; no"},
      {"en", "it\u2019s \u2018so\u2019 a\u2019b\u2019c", "it's 'so\" a'b\"c"},
      {"en", "a \u2013 b\u2014c\u2026", "a - b - c..."},
      {"en", "``x'' y''", " \" x \" y \" "},
      {"fr", "\u00ab\u00a0oui\u00a0\u00bb\u00a0!", "\"oui\" !"},
      {"fr", "1\u00a02\u00a03 1\u00a0000\u00a0000", "1,2\u00a03 1,000,000"},
      {"en", "1\u00a0000", "1.000"},
      {"fr", "20\u00a0\u00baC, 5\u00a0cm, n\u00ba\u00a05,\u00a0x", "20 \u00baC, 5 cm, n\u00ba 5, x"},
      {"en", "a\rb  c   d", "ab c d"},
  };
  for (const auto& [language, before, after] : cases) EXPECT_EQ(normalize({"punctuation"}, before, language), after);
}

}  // namespace
}  // namespace heed
