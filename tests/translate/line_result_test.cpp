// From hypotheses to text with tokens, spans and attention: computed by hand.
#include "translate/line_result.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "base/files.h"
#include "support/files.h"
#include "text/attention_json.h"
#include "translate/json.h"
#include "translate/random_model.h"

namespace heed::testing {
namespace {

constexpr Id kEnd = 1, kUnknown = 2;

// "w3 Ähm w5" -> "w4 <unk>" and the end.
std::vector<text::Token> source() {
  return {{"w3", {0, 2}}, {"Ähm", {3, 6}}, {"w5", {7, 9}}};
}

search::Hypothesis found() {
  return {.words = {4, kUnknown, kEnd},
          .score = -0.5,
          .log_probability = -1.5,
          .word_log_probabilities = {std::log(0.5F), std::log(0.25F), std::log(1.0F)},
          .attention = {0.7F, 0.1F, 0.1F, 0.1F,  //
                        0.2F, 0.3F, 0.1F, 0.4F,  //
                        0, 0, 0.5F, 0.5F},
          .width = 4};
}

TEST(Translation, HasTextTokensAndAttention) {
  const RandomModel nonsense;
  const translate::Translation c = make_translation(nonsense.pipeline, source(), found(), {});
  EXPECT_EQ(c.text, "w4 <unk>");
  EXPECT_EQ(c.score, -0.5);
  EXPECT_EQ(token_texts(c.attention.source), (std::vector<std::string>{"w3", "Ähm", "w5", "<eos>"}));
  EXPECT_EQ(c.attention.source.back().span, (text::Span{9, 9}));
  EXPECT_EQ(token_texts(c.attention.target), (std::vector<std::string>{"w4", "<unk>", "<eos>"}));
  EXPECT_EQ(c.attention.target[1].span, (text::Span{3, 8}));
  EXPECT_EQ(c.attention.target[2].span, (text::Span{8, 8}));
  EXPECT_TRUE(c.attention.source_end && c.attention.target_end);
  EXPECT_EQ(c.attention.at(1, 3), 0.4F);
  EXPECT_FLOAT_EQ(c.probabilities[1], 0.25F);
}

TEST(Translation, ReplacesUnknownWordsByAttention) {
  const RandomModel nonsense;
  EXPECT_EQ(make_translation(nonsense.pipeline, source(), found(), translate::UnknownWords::parse("copy")).text,
            "w4 Ähm");
  const TemporaryDirectory directory;
  write_file_atomically(directory.file("words"), "w5\tfünf\nÄhm\tso ein\n");
  const translate::UnknownWords dictionary = translate::UnknownWords::parse(directory.file("words"));
  const translate::Translation c = make_translation(nonsense.pipeline, source(), found(), dictionary);
  EXPECT_EQ(c.text, "w4 so ein");
  EXPECT_EQ(c.attention.target[1].span, (text::Span{3, 9}));
  EXPECT_EQ(dictionary.replacement("w7"), "w7");
  EXPECT_EQ(dictionary.replacement("\u2581w5"), "fünf");
}

TEST(Translation, DropsLocationAttentionBeyondTheSource) {
  const RandomModel nonsense;
  search::Hypothesis wide = found();
  wide.width = 6;
  wide.attention = {0.1F, 0.1F, 0.1F, 0.1F, 0.3F, 0.3F,  //
                    0.1F, 0.2F, 0.1F, 0.1F, 0.4F, 0.1F,  //
                    0.1F, 0.1F, 0.1F, 0.1F, 0.3F, 0.3F};
  const translate::Translation c =
      make_translation(nonsense.pipeline, source(), wide, translate::UnknownWords::parse("copy"));
  EXPECT_EQ(c.text, "w4 Ähm");
  EXPECT_EQ(c.attention.weights.size(), 12u);
  EXPECT_EQ(c.attention.at(1, 1), 0.2F);
}

TEST(Translation, KeepsTheRowsOfSpecialSymbols) {
  const RandomModel nonsense;
  const translate::Translation c =
      make_translation(nonsense.pipeline, source(), {.words = {4, 0, 5}, .word_log_probabilities = {0, 0, 0}}, {});
  EXPECT_EQ(c.text, "w4 w5");
  EXPECT_FALSE(c.attention.target_end);
  ASSERT_EQ(c.attention.target.size(), 3u);
  EXPECT_EQ(c.attention.target[1].text, "<sos>");
  EXPECT_EQ(c.attention.target[1].span, (text::Span{2, 2}));
  EXPECT_EQ(c.attention.target[2].span, (text::Span{3, 5}));
  EXPECT_FALSE(c.attention.has_weights());
}

TEST(Chunks, AreJoinedWithShiftedSpans) {
  const RandomModel nonsense;
  const auto chunk = [&] {
    translate::LineResult result;
    result.translations.push_back(
        make_translation(nonsense.pipeline, source(), found(), translate::UnknownWords::parse("copy")));
    result.warnings = {{translate::Warning::Kind::unattended, "w5", {7, 9}},
                       {translate::Warning::Kind::repetition, "w4", {0, 2}}};
    return result;
  };
  std::vector<translate::Chunk> chunks;
  chunks.push_back({chunk(), 0, ""});
  chunks.back().result.translations.push_back(chunks.back().result.translations[0]);
  chunks.push_back({chunk(), 10, " "});
  const translate::LineResult whole = join_chunks(std::move(chunks), {.length_normalization = 1});
  ASSERT_EQ(whole.translations.size(), 1u);
  const translate::Translation& best = whole.best();
  EXPECT_EQ(best.text, "w4 Ähm w4 Ähm");
  EXPECT_EQ(best.log_probability, -3);
  EXPECT_EQ(token_texts(best.attention.target), (std::vector<std::string>{"w4", "Ähm", "w4", "Ähm", "<eos>"}));
  EXPECT_EQ(best.attention.target[3].span, (text::Span{10, 13}));
  EXPECT_EQ(best.attention.source[4].span, (text::Span{13, 16}));
  EXPECT_EQ(best.attention.source.size(), 7u);
  EXPECT_EQ(best.probabilities.size(), 5u);
  EXPECT_DOUBLE_EQ(best.score, -3.0 / 5);
  EXPECT_FALSE(best.attention.has_weights());
  ASSERT_EQ(whole.chunks.size(), 2u);
  EXPECT_EQ(whole.chunks[1].best().attention.target[1].span, (text::Span{10, 13}));
  EXPECT_TRUE(whole.chunks[1].best().attention.has_weights());
  ASSERT_EQ(whole.warnings.size(), 4u);
  EXPECT_EQ(whole.warnings[2].span, (text::Span{17, 19}));
  EXPECT_EQ(whole.warnings[3].span, (text::Span{7, 9}));
}

TEST(Sentences, AreJoinedInLinearTime) {
  constexpr std::size_t kSentences = 60'000;
  std::vector<translate::Chunk> sentences;
  for (std::size_t i = 0; i < kSentences; ++i) {
    translate::Chunk& sentence = sentences.emplace_back();
    sentence.separator = i == 0 ? "" : " ";
    sentence.result.translations = {{.text = "Ähm.", .score = 0}, {.text = "Oh.", .score = -1}};
  }
  const auto start = std::chrono::steady_clock::now();
  const translate::LineResult line = join_sentences(std::move(sentences), "", 2);
  ASSERT_EQ(line.translations.size(), 2u);
  EXPECT_EQ(line.translations[0].score, 0);
  EXPECT_EQ(line.translations[1].score, -1);
  EXPECT_EQ(line.translations[0].text.size(), kSentences * 6 - 1);
  EXPECT_EQ(line.translations[1].text.size(), kSentences * 6 - 3);
  // Quadratic time would take minutes.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(LineResultJson, HasAllFields) {
  const RandomModel nonsense;
  translate::LineResult result;
  result.translations.push_back(make_translation(nonsense.pipeline, source(), found(), {}));
  result.warnings = {{translate::Warning::Kind::unattended, "w5", {7, 9}}};
  const Json json = to_json("w3 Ähm w5", result);
  EXPECT_EQ(json["source"], "w3 Ähm w5");
  EXPECT_EQ(json["translation"], "w4 <unk>");
  EXPECT_EQ(json["tokens"], Json({"w4", "<unk>", "<eos>"}));
  EXPECT_EQ(json["source_spans"], Json::parse("[[0,2],[3,6],[7,9],[9,9]]"));
  EXPECT_EQ(json["attention"][1], Json::parse("[0.2,0.3,0.1,0.4]"));
  EXPECT_EQ(json.begin().key(), "source");
  EXPECT_EQ(json["confidences"], Json::parse("[0.5,0.25,1.0]"));
  EXPECT_EQ(json["words"][1], Json::parse(R"({"text":"<unk>","span":[3,8],"confidence":0.25})"));
  EXPECT_EQ(json["warnings"], Json::parse(R"([{"kind":"unattended","text":"w5","span":[7,9]}])"));
  EXPECT_FALSE(json.contains("nbest") || json.contains("pieces"));

  result.translations.push_back(result.translations[0]);
  result.translations[1].attention.weights.clear();
  result.chunks = {result, result};
  const Json more = parse_json(dump_json(to_json("w3 \xFF", result)), "json");
  EXPECT_EQ(more["source"], "w3 \uFFFD");
  EXPECT_EQ(more["nbest"].size(), 2u);
  EXPECT_TRUE(more["nbest"][1]["attention"].is_null());
  EXPECT_EQ(more["pieces"].size(), 2u);
  EXPECT_EQ(more["pieces"][1]["translation"], "w4 <unk>");
}

TEST(AttentionJson, FollowsTheFormat) {
  const RandomModel nonsense;
  const Json json = attention_json(make_translation(nonsense.pipeline, source(), found(), {}).attention);
  EXPECT_EQ(json["source"].size(), 4u);
  EXPECT_EQ(json["target_spans"], Json::parse("[[0,2],[3,8],[8,8]]"));
  EXPECT_EQ(json["attention"].size(), 3u);
}

}  // namespace
}  // namespace heed::testing
