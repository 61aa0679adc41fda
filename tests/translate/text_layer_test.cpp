#include "translate/text_layer.h"

#include <gtest/gtest.h>

#include "base/utf8.h"
#include "translate/random_model.h"

namespace heed::translate {
namespace {

using testing::RandomModel;

// The random model likes to repeat itself and to write unknown words: see repetition_test.cpp and
// unknown_names_test.cpp.
const TextOptions kDefault{.copy_names = false, .stop_repetition = false};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

struct TextLayerTest : ::testing::Test {
  RandomModel nonsense;
  Translator translator{*nonsense.model, nonsense.pipeline};

  std::vector<LineResult> translate(const std::vector<std::string>& lines, const TranslateOptions& options = {},
                                    const TextOptions& text = kDefault, const std::vector<std::string>& prefixes = {}) {
    return TextLayer(translator, text).translate(requests_for(lines, prefixes), options);
  }
};

TEST_F(TextLayerTest, CopiesWhatHasOnlyProtectedSpans) {
  const std::vector<std::string> lines = {"https://x.org/z", "3.5 kg",   "{name}", "${x}%d", "42",
                                          "{a}: %s!",        "w3 {name}"};
  const std::vector<LineResult> results = TextLayer(translator, kDefault).translate(requests_for(lines), {});
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    EXPECT_EQ(results[i].best().text, lines[i]);
    ASSERT_FALSE(results[i].best().kept.empty());
    EXPECT_EQ(results[i].best().kept[0].target, results[i].best().kept[0].source);
  }
  EXPECT_NE(results.back().best().text, lines.back());
}

TEST_F(TextLayerTest, CopiesSigns) {
  for (const char* line : {"!", "— …", "*** 。"}) EXPECT_EQ(translate({line}).front().best().text, line);
  EXPECT_NE(translate({"!"}, {}, {.protect = false}).front().best().text, "!");
}

// The model would write something unrelated.
TEST_F(TextLayerTest, CopiesASentenceInWhichTheModelKnowsNoWord) {
  const auto translated = [&](const std::string& line, const TextOptions& options, const UnknownWords& unknown = {}) {
    return TextLayer(translator, options)
        .translate(requests_for({&line, 1}), {.unknown = unknown, .warnings = true})
        .front();
  };
  const LineResult copied = translated("Zoe quux {a} !", {});
  EXPECT_EQ(copied.best().text, "Zoe quux {a} !");
  ASSERT_EQ(copied.best().kept.size(), 1u);
  EXPECT_EQ(copied.best().kept[0].target, (text::Span{9, 12}));
  ASSERT_EQ(copied.warnings.size(), 2u);
  EXPECT_EQ(copied.warnings[1].kind, Warning::Kind::unknown);
  EXPECT_EQ(copied.warnings[1].text, "quux");
  EXPECT_EQ(copied.warnings[1].span, (text::Span{4, 8}));
  EXPECT_EQ(translated("w3 ? Zoe quux !", {}).chunks.at(1).best().text, "Zoe quux !");
  EXPECT_NE(translated("Zoe w3", {}).best().text, "Zoe w3");
  EXPECT_NE(translated("Zoe quux", {.copy_names = false}).best().text, "Zoe quux");
  const UnknownWords dictionary = UnknownWords::parse("copy");  // says what becomes of unknown words
  EXPECT_EQ(translated("Zoe quux", {}, dictionary).best().attention.source.size(), 3u);
}

TEST_F(TextLayerTest, TranslatesSentencesOnTheirOwnAndKeepsWhiteSpace) {
  const std::vector<LineResult> alone = translator.translate(std::vector<std::string>{"w3 w4 ?", "W9 w7 !"}, {});
  const LineResult line = translate({"  w3 w4 ?\t W9 w7 ! "}).front();
  EXPECT_EQ(line.best().text, "  " + alone[0].best().text + "\t " + alone[1].best().text + " ");
  EXPECT_EQ(line.best().score, alone[0].best().score + alone[1].best().score);
  ASSERT_EQ(line.chunks.size(), 2u);
  EXPECT_FALSE(line.too_long);
  // Spans refer to the line and to the whole translation.
  const text::AttentionMatrix& map = line.best().attention;
  ASSERT_EQ(token_texts(map.source), (std::vector<std::string>{"w3", "w4", "?", "W9", "w7", "!", "<eos>"}));
  EXPECT_EQ(map.source[3].span, (text::Span{11, 13}));
  const text::AttentionMatrix& before = alone[0].best().attention;
  const std::size_t first = before.target.size() - (before.target_end ? 1 : 0);
  const auto offset = static_cast<std::uint32_t>(2 + utf8_length(alone[0].best().text) + 2);
  EXPECT_EQ(map.target[first].span.from, alone[1].best().attention.target[0].span.from + offset);
  // The weights of the second sentence come after those of the first.
  ASSERT_TRUE(map.has_weights());
  EXPECT_EQ(map.at(first, 3), alone[1].best().attention.at(0, 0));
  EXPECT_EQ(map.at(first, 0), 0);
  EXPECT_EQ(map.at(0, 3), 0);
}

TEST_F(TextLayerTest, IsOffWithPlain) {
  const std::vector<std::string> lines = {" w3 w4 ? W9 w7 !", "w5 . w6 ."};
  const std::vector<LineResult> plain = translate(lines, {}, {.plain = true}), direct = translator.translate(lines, {});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(plain[i].best().text, direct[i].best().text);
    EXPECT_EQ(plain[i].best().score, direct[i].best().score);
    EXPECT_TRUE(plain[i].chunks.empty());
  }
}

TEST_F(TextLayerTest, OrdersCombinationsBySummedScores) {
  const TranslateOptions options{.search = {.beam = 6, .nbest = 4}};
  const std::vector<LineResult> alone = translator.translate(std::vector<std::string>{"w3 w4 ?", "W9 w7 !"}, options);
  std::vector<double> sums;
  for (const Translation& a : alone[0].translations)
    for (const Translation& b : alone[1].translations) sums.push_back(a.score + b.score);
  std::ranges::sort(sums, std::greater{});
  const LineResult line = translate({"w3 w4 ? W9 w7 !"}, options).front();
  ASSERT_EQ(line.translations.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(line.translations[k].score, sums[k]);
    EXPECT_EQ(line.translations[k].text,
              line.chunks[0].translations[k].text + " " + line.chunks[1].translations[k].text);
  }
}

TEST_F(TextLayerTest, GivesAPrefixToTheFirstSentence) {
  const LineResult line = translate({"w3 w4 ? W9 w7 !"}, {}, kDefault, {"w5 w6"}).front();
  EXPECT_TRUE(line.best().text.starts_with("w5 w6"));
  EXPECT_EQ(line.chunks[1].best().text,
            translator.translate(std::vector<std::string>{"W9 w7 !"}, {}).front().best().text);
}

TEST_F(TextLayerTest, SplitsOnlyWhatItIsToldTo) {
  const std::vector<std::string> lines = {"w3 w4 ? W9 w7 !"};
  TranslateOptions options{.max_source_length = 4};
  EXPECT_TRUE(translate(lines, options, {.segment = Segmentation::lines}).front().too_long);
  EXPECT_FALSE(translate(lines, options, {.segment = Segmentation::never}).front().too_long);
  EXPECT_TRUE(translate(lines, options, {.segment = Segmentation::never}).front().chunks.empty());
  // A sentence that is too long is split further, and all its chunks are listed.
  const LineResult both = translate({"w3 w4 w5 w6 w7 ? W9 w7 !"}, options).front();
  EXPECT_TRUE(both.too_long);
  EXPECT_EQ(both.chunks.size(), 3u);
}

TEST_F(TextLayerTest, KeepsProtectedSpans) {
  const std::string line = "w3 {name} w4 ? W9 2,718 w7 ! \U0001F600 W5";
  const std::u32string source = text::decode_utf8(line);
  const LineResult result = translate({line}, {.search = {.beam = 6, .nbest = 3}}).front();
  ASSERT_EQ(result.translations.size(), 3u);
  for (const Translation& translation : result.translations) {
    ASSERT_EQ(translation.kept.size(), 3u);
    const std::u32string text = text::decode_utf8(translation.text);
    for (const KeptSpan& kept : translation.kept) {
      EXPECT_EQ(count(translation.text, kept.text), 1u) << translation.text;
      for (const auto& [side, span] : {std::pair(&source, kept.source), std::pair(&text, kept.target)})
        EXPECT_EQ(text::encode_utf8(std::u32string_view(*side).substr(span.from, span.to - span.from)), kept.text);
    }
  }
  // The model has read one unknown word for {name}, which has the span of the text.
  const text::AttentionMatrix& map = result.best().attention;
  EXPECT_EQ(map.source[1].text, "{name}");
  EXPECT_EQ(map.source[1].span, (text::Span{3, 9}));
  EXPECT_TRUE(map.has_weights());
  EXPECT_TRUE(translate({line}, {}, {.protect = false}).front().best().kept.empty());
}

TEST_F(TextLayerTest, ReturnsAttentionOnlyIfItIsRequested) {
  TranslateOptions options{.warnings = true};
  options.search.attention = false;
  const std::vector<std::string> lines = {"w3 {name} w4", "w3 w5"};
  const std::vector<LineResult> without = translate(lines, options), with = translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_FALSE(without[i].best().attention.has_weights());
    EXPECT_TRUE(with[i].best().attention.has_weights());
    EXPECT_EQ(without[i].best().text, with[i].best().text);
    for (const Warning& warning : without[i].warnings) EXPECT_NE(warning.kind, Warning::Kind::unattended);
    EXPECT_TRUE(with[i].warnings.empty());
  }
}

TEST_F(TextLayerTest, ReturnsAttentionOfLinesWithSentencesWithoutWords) {
  for (const char* line : {"W3 w4 ? https://x.org", "https://x.org ! W3 w4 ?", "W3 w4 ? 42 ! W9 w7 !"}) {
    const text::AttentionMatrix map = translate({line}).front().best().attention;
    ASSERT_TRUE(map.has_weights()) << line;
    EXPECT_EQ(map.weights.size(), map.source.size() * map.target.size());
    const LineResult words = translate({"W3 w4 ?"}).front();
    const std::size_t first = words.best().attention.target.size() - 1;  // without the end symbol
    for (std::size_t t = 0; t < first; ++t) EXPECT_EQ(map.at(t, 0), words.best().attention.at(t, 0)) << line;
  }
}

TEST_F(TextLayerTest, DoesNotSplitProtectedSpans) {
  const LineResult line = translate({"w3 `w4. W5! w6` w7 ? W9"}).front();
  EXPECT_EQ(line.chunks.size(), 2u);
  EXPECT_EQ(count(line.best().text, "`w4. W5! w6`"), 1u);
}

TEST_F(TextLayerTest, TakesAnyNumberOfSpans) {
  std::string line;
  for (int i = 0; i < 3000; ++i) line += fmt::format("{{a{}}} ", i);
  const LineResult result = translate({line}, {.search = {.beam = 1}, .length_ratio = 1}).front();
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(count(result.best().text, fmt::format("{{a{}}}", i)), 1u) << i;
}

TEST_F(TextLayerTest, KeepsSpansOfLongLines) {
  const TranslateOptions options{.max_source_length = 3};
  const LineResult line = translate({"w3 {a} w4 w5 {b} w6 w7 12345"}, options).front();
  EXPECT_TRUE(line.too_long);
  for (const char* span : {"{a}", "{b}", "12345"}) {
    EXPECT_EQ(count(line.best().text, span), 1u) << line.best().text;
    std::size_t in_chunks = 0;
    for (const LineResult& chunk : line.chunks) in_chunks += count(chunk.best().text, span);
    EXPECT_EQ(in_chunks, 1u);
  }
  EXPECT_FALSE(line.best().attention.has_weights());
}

TEST_F(TextLayerTest, DependsOnTheLineAlone) {
  const std::vector<std::string> lines = {
      "w3 w4 ? W9 w7 !", "", "  ", "w5", "w8 . w6 w6 w3 ! W3", "w3 w4 ? W9 w7 !", "w3 {a} w5 12 ! W4 %s w6"};
  const std::vector<LineResult> together = translate(lines, {.threads = 1}, {});
  for (const int threads : {1, 3})
    for (const int batch : {1, 2, 64}) {
      const std::vector<LineResult> again = translate(lines, {.batch = batch, .threads = threads}, {});
      for (std::size_t i = 0; i < lines.size(); ++i) {
        const LineResult alone = translate({lines[i]}, {}, {}).front();
        for (const LineResult* other : {&again[i], &alone}) {
          EXPECT_EQ(other->best().text, together[i].best().text);
          EXPECT_EQ(other->best().score, together[i].best().score);
          EXPECT_EQ(other->best().attention.weights, together[i].best().attention.weights);
        }
      }
    }
  EXPECT_EQ(together[1].best().text, "");
  EXPECT_EQ(together[2].best().text, "  ");
}

}  // namespace
}  // namespace heed::translate
