#include "text/words.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "shared_data.h"
#include "text/abbreviations.h"

namespace heed {
namespace {

std::string tokens_of(const text::TokenizerOptions& options, std::string_view line) {
  return fmt::format("{}", fmt::join(token_texts(make_tokenizer(options)->tokenize(line)), " "));
}

std::string words(std::string_view language, std::string_view line) {
  return tokens_of({.kind = "words", .language = std::string(language)}, line);
}

struct Case {
  std::string_view language, line, tokens;
};

// Every line on the right is the output of Moses' tokenizer.perl with its escapes undone.
TEST(Words, EqualsMoses) {
  const Case cases[] = {
      {"en", "Hello, world!", "Hello , world !"},
      {"en", "It's the Jones' dog's 1990's toy.", "It 's the Jones ' dog 's 1990 's toy ."},
      {"en", "'quoted' at the ends'", "'quoted ' at the ends'"},
      {"en", "He said 'stop.'", "He said ' stop . '"},
      {"de", "Geht's gut?", "Geht ' s gut ?"},
      {"fr", "L'homme d'\u00c9tat n'a qu'1 euro.", "L' homme d' \u00c9tat n' a qu ' 1 euro ."},
      {"it", "dell'arte", "dell' arte"},
      {"so", "la'aan 'x'", "la'aan ' x'"},
      {"fi", "EU:ssa ja USA:N", "EU:ssa ja USA : N"},
      {"sv", "kl 12:30", "kl 12 : 30"},
      {"ca", "col\u00b7legi\u00b7", "col\u00b7legi\u00b7"},
      {"tdt", "ne'eb\u00e9 la'A", "ne'eb\u00e9 la ' A"},
      {"en", "5,300 and 5, 300 and 5,", "5,300 and 5 , 300 and 5 ,"},
      {"en", "a,b,c,5 ,5 x,,5", "a , b , c , 5 , 5 x , ,5"},
      {"en", ",5", ",5"},
      {"en", "\u0663,\u0663 \u00bd,\u00bd", "\u0663,\u0663 \u00bd , \u00bd"},
      {"en", "wait... what.. ok.", "wait ... what .. ok ."},
      {"en", "...start", "... start"},
      {"en", "Mr. Smith met Dr. Who. He left.", "Mr. Smith met Dr. Who . He left ."},
      {"en", "No. 5 or No. Five", "No. 5 or No . Five"},
      {"en", "the U.S. Army in the U.S.", "the U.S. Army in the U.S."},
      {"en", "at 5 p.m. sharp. then", "at 5 p.m. sharp. then"},
      {"en", "v1.2. Next", "v1.2. Next"},
      {"en", "1.2. Next", "1.2 . Next"},
      {"de", "am 3. Juli bzw. Mai, z.B. Montag", "am 3. Juli bzw. Mai , z.B. Montag"},
      {"de", "Nr. Zwei und XII. Jahrhundert usw.", "Nr. Zwei und XII. Jahrhundert usw."},
      {"xx", "Mr. Smith's", "Mr. Smith ' s"},
      {"en", "well-known -- a-b", "well-known -- a-b"},
      {"en", "a|b&c<d>[e]{f}\"g\"", "a | b & c < d > [ e ] { f } \" g \""},
      {"en", "tab\there\u00a0and\u2028there", "tab here and there"},
      {"en",
       "a\x01"
       "b \x7f",
       "ab \x7f"},
      {"en", "\u6f22\u5b57\u3001\u304b\u306a", "\u6f22\u5b57 \u3001 \u304b\u306a"},
      {"en", "\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928 \u094d \u0926\u0940"},
      {"en", "x\U0001F600y 5\u20ac", "x \U0001F600 y 5 \u20ac"},
      {"en", "`a` b_c", "`a` b _ c"},
      {"en", "foo. \u00aa", "foo. \u00aa"},
      {"en", "", ""},
      {"en", " \t\u3000", ""},
  };
  for (const auto& [language, line, tokens] : cases)
    EXPECT_EQ(words(language, line), tokens) << language << ": " << line;
}

TEST(Words, SplitsHyphensOnRequest) {
  const text::TokenizerOptions options{.kind = "words", .language = "en", .split_hyphens = true};
  EXPECT_EQ(tokens_of(options, "a-b-c well-known -x y- 1-2"), "a @-@ b @-@ c well @-@ known -x y- 1 @-@ 2");
}

TEST(Words, SpansPointIntoTheOriginalLine) {
  const text::TokenizerOptions options{.kind = "words", .language = "en", .normalize = {"lowercase", "punctuation"}};
  const auto tokens = make_tokenizer(options)->tokenize("\u201cDon\u2019t\u201d, \u00c9mile\u2026 (x)");
  const std::pair<std::string, text::Span> expected[] = {{"don", {1, 4}},         {"'t", {4, 6}},    {",", {7, 8}},
                                                         {"\u00e9mile", {9, 14}}, {"...", {14, 15}}, {"x", {17, 18}}};
  for (const auto& [text, span] : expected) {
    const auto found =
        std::find_if(tokens.begin(), tokens.end(), [&, t = text](const text::Token& token) { return token.text == t; });
    ASSERT_NE(found, tokens.end()) << text;
    EXPECT_EQ(found->span, span) << text;
  }
}

TEST(Words, HasWordRulesForLanguagesWithRulesOrAbbreviations) {
  for (const auto* language : {"de", "en", "fr", "es", "it", "pt", "nl", "cs", "so"})
    EXPECT_TRUE(text::has_word_rules(language));
  EXPECT_FALSE(text::has_word_rules("xx"));
  EXPECT_FALSE(text::has_word_rules(""));
  EXPECT_EQ(text::find_abbreviation("de", "bzw"), text::AbbreviationKind::always);
  EXPECT_EQ(text::find_abbreviation("en", "bzw"), text::AbbreviationKind::none);
  EXPECT_EQ(text::find_abbreviation("xx", "No"), text::AbbreviationKind::before_number);
}

TEST(Words, MissingWordRulesNamesTheCodeOfALanguage) {
  EXPECT_EQ(text::missing_word_rules("de"), "");
  EXPECT_EQ(text::missing_word_rules(""), "");
  for (const auto* language : {"german", "German", "DE"})
    EXPECT_NE(text::missing_word_rules(language).find("did you mean 'de'?"), std::string::npos) << language;
  const std::string other = text::missing_word_rules("xx");
  EXPECT_EQ(other.find("there are no rules for the language 'xx', so the general ones apply (there are rules for ca, "),
            0u)
      << other;
}

std::string undo_escapes(std::string line) {
  const std::pair<std::string_view, std::string_view> escapes[] = {{"&#124;", "|"}, {"&lt;", "<"},    {"&gt;", ">"},
                                                                   {"&apos;", "'"}, {"&quot;", "\""}, {"&#91;", "["},
                                                                   {"&#93;", "]"},  {"&amp;", "&"}};
  for (const auto& [escape, plain] : escapes) {
    for (std::size_t at = 0; (at = line.find(escape, at)) != line.npos; ++at) line.replace(at, escape.size(), plain);
  }
  return line;
}

class Multi30k : public ::testing::TestWithParam<std::string> {};

// The corpus was lower-cased, normalized and tokenized with Moses in 2016.
TEST_P(Multi30k, TokensEqualMoses) {
  const std::string raw = shared_data("multi30k/train." + GetParam());
  HEED_NEEDS(raw);
  const auto lines = read_lines(raw);
  const auto expected = read_lines(shared_data("multi30k/train.lc.norm.tok." + GetParam()));
  ASSERT_EQ(lines.size(), expected.size());
  const auto tokenizer =
      text::make_tokenizer({.kind = "words", .language = GetParam(), .normalize = {"lowercase", "punctuation"}});
  const auto spaces = text::make_tokenizer({.kind = "whitespace"});
  std::size_t same = 0;
  for (std::size_t i = 0; i < lines.size(); ++i)
    same += text::token_texts(tokenizer->tokenize(lines[i])) ==
            text::token_texts(spaces->tokenize(undo_escapes(expected[i])));
  EXPECT_EQ(same, lines.size());
}

TEST_P(Multi30k, DetokenizingRestoresTheRawLines) {
  const std::string raw = shared_data("multi30k/train." + GetParam());
  HEED_NEEDS(raw);
  const auto tokenizer = text::make_tokenizer({.kind = "words", .language = GetParam()});
  std::size_t same = 0, all = 0;
  for (const std::string& line : read_lines(raw)) {
    ++all;
    same += tokenizer->detokenize(text::token_texts(tokenizer->tokenize(line))) == line;
  }
  EXPECT_GE(static_cast<double>(same), 0.992 * static_cast<double>(all)) << same << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Languages, Multi30k, ::testing::Values("de", "en"));

struct InverseCase {
  std::string_view language, line;
};

TEST(WordsInverse, RestoresTheLine) {
  const InverseCase cases[] = {
      {"en", "Hello, world! (Really?) Yes: it's fine; 50% off..."},
      {"en", "\"Don't,\" he said, \"the 'best' of Jones' dogs\"."},
      {"en", "It cost $5.20 and/or \u20ac7 at 10:30 for R&B, Barnes & Noble #5."},
      {"en", "\u201cNew\u201d and \u2018old\u2019, the States\u2019 and it\u2019s."},
      {"en", "hook 'em, Jackson's 'Thriller' video"},
      {"en", "[a] {b} x_y 5\u00b0 a \u2013 b 10\u201312 AT&T"},
      {"de", "\u201eDas geht's\u201c, sagte er \u2013 am 3. Juli, z. B. um 50 % und \u201aso\u2018."},
      {"de", "Ein \u201eStop\u201c-Schild, Rock-'n'-Roll und Wendy's. Guck mal!"},
      {"fr", "L'homme d'\u00c9tat a dit : \u00ab oui \u00bb ! Qu'est-ce ?"},
      {"es", "\u00bfQu\u00e9 tal? \u00a1Hola!"},
      {"it", "L'arte dell'opera."},
      {"zh", "\u6f22\u5b57\u3001\u304b\u306a\u3002\u6f22"},
      {"en", ""},
  };
  for (const auto& [language, line] : cases) {
    const auto tokenizer = text::make_tokenizer({.kind = "words", .language = std::string(language)});
    EXPECT_EQ(tokenizer->detokenize(text::token_texts(tokenizer->tokenize(line))), line);
  }
}

TEST(WordsInverse, JoinsSplitHyphens) {
  const auto tokenizer = text::make_tokenizer({.kind = "words", .language = "en", .split_hyphens = true});
  EXPECT_EQ(tokenizer->detokenize(text::token_texts(tokenizer->tokenize("a well-known a-b-c -x"))),
            "a well-known a-b-c -x");
}

}  // namespace
}  // namespace heed
