#include "text/tokenizer.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"
#include "shared_data.h"

namespace heed {
namespace {

std::vector<std::string> texts(const std::string& kind, std::string_view line) {
  return text::token_texts(text::make_tokenizer({.kind = kind})->tokenize(line));
}

using Texts = std::vector<std::string>;

TEST(Tokenizer, WhitespaceFollowsUnicode) {
  EXPECT_EQ(texts("whitespace", "  a\u00a0b\u2028c.\td "), (Texts{"a", "b", "c.", "d"}));
  EXPECT_EQ(texts("whitespace", ""), Texts{});
}

TEST(Tokenizer, WordCharactersAreLettersNumbersAndUnderscore) {
  EXPECT_EQ(texts("word-characters", "it's \u00e9t\u00e9_2, (\u6f22)!"),
            (Texts{"it", "s", "\u00e9t\u00e9_2", "\u6f22"}));
}

TEST(Tokenizer, SameWordsIgnoresSpacingAndNormalizedDifferences) {
  const auto tokenizer = text::make_tokenizer({.kind = "words", .normalize = {"lowercase"}});
  EXPECT_TRUE(tokenizer->same_words("Das ist es.", "das  ist es ."));
  EXPECT_FALSE(tokenizer->same_words("Das ist es.", "das ist es"));
  EXPECT_FALSE(tokenizer->same_words("Das ist es.", "das es ist."));
}

TEST(Tokenizer, CharactersShowSpacesAndDetokenizeExactly) {
  const auto tokenizer = text::make_tokenizer({.kind = "characters"});
  const auto tokens = text::token_texts(tokenizer->tokenize("a \u00e9\t"));
  EXPECT_EQ(tokens, (Texts{"a", "\u2581", "\u00e9", "\t"}));
  EXPECT_EQ(tokenizer->detokenize(tokens), "a \u00e9\t");
}

TEST(Tokenizer, AnUnknownKindIsAnErrorThatListsTheKnownOnes) {
  try {
    text::make_tokenizer({.kind = "moses"});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    for (const auto& kind : text::tokenizer_kinds())
      EXPECT_NE(std::string(error.what()).find(kind.name), std::string::npos) << kind.name;
  }
}

TEST(Tokenizer, SpansCountCharactersOfTheOriginalLine) {
  const auto tokens =
      text::make_tokenizer({.kind = "whitespace", .normalize = {"nfkc", "lowercase"}})->tokenize("\ufb01X  e\u0301");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].text, "fix");
  EXPECT_EQ(tokens[0].span, (text::Span{0, 2}));
  EXPECT_EQ(tokens[1].text, "\u00e9");
  EXPECT_EQ(tokens[1].span, (text::Span{4, 6}));
}

// Lines of the characters that the rules look for.
std::string random_line(const Random& random, std::uint64_t& at, std::uint32_t longest) {
  constexpr std::string_view kParts[] = {"a",      "B",      "5",    ".",      ",",      "'",      "-",
                                         "`",      " ",      "\"",   "(",      "...",    "\u00e9", "\u201e",
                                         "\u2019", "\u00a0", "\t",   "\u6f22", "\u0301", "\0",     "\u2028",
                                         "\x7f",   "Dr.",    "\xff", "@-@",    ":",      "\r"};
  std::string line;
  for (std::uint32_t n = random.below(at++, longest); n > 0; --n) line += kParts[random.below(at++, std::size(kParts))];
  return line;
}

TEST(Tokenizer, EveryTokenIsTheTextOfItsSpan) {
  const Random random(2, Stream::test);
  std::uint64_t at = 0;
  for (const std::string kind : {"whitespace", "word-characters", "words", "characters"}) {
    for (const std::string language : {"en", "de", "fr", "so", "fi"}) {
      const auto tokenizer = text::make_tokenizer({.kind = kind, .language = language});
      for (int round = 0; round < 500; ++round) {
        const std::string line = random_line(random, at, 20);
        const std::u32string original = text::decode_utf8(line);
        std::uint32_t end = 0;
        for (const text::Token& token : tokenizer->tokenize(line)) {
          ASSERT_LE(end, token.span.from) << line;
          ASSERT_LT(token.span.from, token.span.to);
          ASSERT_LE(token.span.to, original.size());
          end = token.span.to;
          std::u32string expected = original.substr(token.span.from, token.span.to - token.span.from);
          if (kind == "words") std::erase_if(expected, [](char32_t c) { return c < 0x20; });
          if (kind == "characters" && expected == U" ") expected[0] = U'\u2581';
          ASSERT_EQ(token.text, text::encode_utf8(expected)) << kind << ": " << line;
        }
      }
    }
  }
}

TEST(Tokenizer, NormalizingKeepsSpansInsideTheLine) {
  const Random random(3, Stream::test);
  std::uint64_t at = 0;
  for (const std::string& step : text::normalization_steps()) {
    const auto tokenizer = text::make_tokenizer({.kind = "words", .language = "de", .normalize = {step}});
    for (int round = 0; round < 300; ++round) {
      const std::string line = random_line(random, at, 20);
      const std::size_t size = text::decode_utf8(line).size();
      for (const text::Token& token : tokenizer->tokenize(line)) {
        ASSERT_FALSE(token.text.empty());
        ASSERT_LE(token.span.from, token.span.to);
        ASSERT_LE(token.span.to, size) << step << ": " << line;
      }
    }
  }
}

// A rule with unbounded lookahead or lookbehind would take hours on some of these.
TEST(Tokenizer, LongLinesTakeLinearTime) {
  for (const std::string part :
       {".", ",", "'", "-", "a'", ". ", ",5", "\"", ".\"", "(", "a\u2019", " ", "\xff", "\u0301"}) {
    std::string line;
    while (line.size() < 200'000) line += part;
    for (const auto& kind : text::tokenizer_kinds()) {
      if (kind.name == "sentencepiece") continue;
      for (const std::string language : {"en", "de"}) {
        const auto tokenizer = text::make_tokenizer(
            {.kind = std::string(kind.name), .language = language, .normalize = {"nfc", "lowercase", "punctuation"}});
        const auto tokens = text::token_texts(tokenizer->tokenize(line));
        EXPECT_LE(tokens.size(), line.size() * 2);
        EXPECT_EQ(text::check_utf8(tokenizer->detokenize(tokens)).bad_bytes, 0u);
      }
    }
  }
}

TEST(Tokenizer, EveryKindHandlesTheListOfNaughtyStrings) {
  const std::string path = shared_data("unicode/blns.txt");
  HEED_NEEDS(path);
  for (const std::string& line : read_lines(path)) {
    for (const auto& kind : text::tokenizer_kinds()) {
      if (kind.name == "sentencepiece") continue;
      const auto tokenizer = text::make_tokenizer({.kind = std::string(kind.name), .language = "en"});
      const auto tokens = text::token_texts(tokenizer->tokenize(line));
      if (kind.name == "characters") {
        EXPECT_EQ(tokenizer->detokenize(tokens), line);
      }
      for (const std::string& token : tokens) EXPECT_EQ(token.find('\n'), token.npos);
    }
  }
}

}  // namespace
}  // namespace heed
