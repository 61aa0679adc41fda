#include "translate/scorer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "model/presets.h"

namespace heed {
namespace {

// A small model with a pipeline that splits at spaces.
class AlignedTest : public ::testing::Test {
 protected:
  static text::TextConfig config(const char* tokenizer) {
    text::TextConfig text;
    text.tokenizer = tokenizer;
    return text;
  }
  static text::Vocabulary vocabulary() {
    return text::Vocabulary({"<sos>", "<eos>", "<unk>", "a", "b", "c", "d", ",", "."}, {.sos = 0, .eos = 1, .unk = 2},
                            "test");
  }
  static model::ModelConfig model_config(const char* preset) {
    model::ModelConfig c = model::preset_config(preset);
    c.encoder.hidden = c.decoder.hidden = 8;
    if (c.encoder.embedding != 0) c.encoder.embedding = c.decoder.embedding = 8;
    if (c.attention.score == model::Score::location) c.attention.max_length = 4;
    c.vocabulary = {.source = 9, .target = 9, .sos = 0, .eos = 1, .unk = 2};
    return c;
  }
  AlignedTest() : model(model_config("bahdanau-lstm")), pipeline(config("words")) {
    model.initialize(1);
    pipeline.set_vocabularies(vocabulary(), vocabulary());
  }

  model::Model model;
  translate::TextPipeline pipeline;
  const std::vector<std::string> sources = {"a b, c.", "", "d", "a a a a a a", "zzz b"};
  const std::vector<std::string> targets = {"b a.", "c", "", "d q", "a b c d"};
};

TEST_F(AlignedTest, TranslationsAreScoredTokenByToken) {
  const auto scored = score_pairs(model, pipeline, sources, targets);
  ASSERT_EQ(scored.size(), 5u);
  for (std::size_t i = 0; i < scored.size(); ++i) {
    SCOPED_TRACE(i);
    const translate::ScoredPair& g = scored[i];
    EXPECT_FALSE(g.too_long);
    ASSERT_EQ(g.log_probabilities.size(), g.attention.target.size());
    ASSERT_EQ(g.attention.weights.size(), g.attention.target.size() * g.attention.source.size());
    EXPECT_EQ(g.attention.source.back().text, "<eos>");
    for (std::size_t t = 0; t < g.attention.target.size(); ++t) {
      EXPECT_LT(g.log_probabilities[t], 0);
      float sum = 0;
      for (std::size_t s = 0; s < g.attention.source.size(); ++s) sum += g.attention.at(t, s);
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(scored[0].attention.source.size(), 6u);  // a b , c . <eos>
  EXPECT_EQ(scored[3].unknown, 1u);
  EXPECT_EQ(scored[4].unknown, 0u);
}

TEST_F(AlignedTest, BatchAndThreadsDoNotMatter) {
  const auto together = score_pairs(model, pipeline, sources, targets);
  for (const translate::ScoreOptions& options :
       {translate::ScoreOptions{.batch = 1}, translate::ScoreOptions{.batch = 2, .threads = 3}}) {
    const auto apart = score_pairs(model, pipeline, sources, targets, options);
    for (std::size_t i = 0; i < apart.size(); ++i) {
      EXPECT_EQ(apart[i].log_probabilities, together[i].log_probabilities);
      EXPECT_EQ(apart[i].attention.weights, together[i].attention.weights);
    }
  }
}

TEST_F(AlignedTest, ProgressEndsWithAllPairsThatAreComputed) {
  std::vector<std::size_t> reported;
  std::size_t all = 0;
  translate::ScoreOptions options{.batch = 2, .threads = 2, .max_length = 5};
  options.on_progress = [&](std::size_t done, std::size_t of) { reported.push_back(done), all = of; };
  const auto scored = score_pairs(model, pipeline, sources, targets, options);
  const auto computed = static_cast<std::size_t>(std::ranges::count(scored, false, &translate::ScoredPair::too_long));
  ASSERT_LT(computed, scored.size());
  EXPECT_EQ(all, computed);
  EXPECT_TRUE(std::ranges::is_sorted(reported));
  EXPECT_EQ(reported.size(), (computed + 1) / 2);
  EXPECT_EQ(reported.back(), computed);
}

TEST_F(AlignedTest, TooLongPairsAreSkipped) {
  const auto scored = score_pairs(model, pipeline, sources, targets, {.max_length = 5});
  EXPECT_TRUE(scored[0].too_long);
  EXPECT_TRUE(scored[0].log_probabilities.empty());
  EXPECT_FALSE(scored[1].too_long);
  EXPECT_TRUE(scored[3].too_long);
  EXPECT_TRUE(score_pairs(model, pipeline, sources, targets, {.max_length = 4})[4].too_long) << "by its target";
  model::Model location(model_config("location-gru"));
  const auto short_ones = score_pairs(location, pipeline, sources, targets);
  EXPECT_TRUE(short_ones[3].too_long);
  EXPECT_FALSE(short_ones[2].too_long);
  EXPECT_TRUE(align_pairs(scored, sources, targets, alignment::LinkWords(pipeline.config(), false))[3].empty());
}

// The same text tokenized and split at spaces: the model reads other tokens, and links count other words.
TEST_F(AlignedTest, WordsComeFromTheTokenizerOrFromSpaces) {
  const std::vector<std::string> source = {"a b, c."}, target = {"d."};
  const auto most = [](const std::vector<alignment::Alignment>& links) {
    std::uint32_t count = 0;
    for (const alignment::Link& link : links[0]) count = std::max(count, link.target + 1);
    return count;
  };
  const auto plain = score_pairs(model, pipeline, source, target);
  EXPECT_EQ(plain[0].attention.target.size(), 3u);  // d . <eos>
  const auto tokenized = score_pairs(model, pipeline, source, target, {.pretokenized = true});
  EXPECT_EQ(tokenized[0].attention.target.size(), 2u);  // d. <eos>
  EXPECT_EQ(tokenized[0].unknown, 1u);
  // There is one word between spaces, whatever tokens the model reads.
  EXPECT_LE(most(align_pairs(plain, source, target, alignment::LinkWords(pipeline.config(), true))), 1u);
  EXPECT_LE(most(align_pairs(plain, source, target, alignment::LinkWords(pipeline.config(), false))), 2u);
  EXPECT_EQ(alignment::LinkWords(config("characters"), false).source->tokenize("ab c.").size(), 3u);
  EXPECT_EQ(alignment::LinkWords(config("characters"), true).source->tokenize("ab c.").size(), 2u);
}

// The attention of the step after a word: every row moves up by one.
TEST(AlignPairs, ShiftUsesTheRowOfTheNextStep) {
  translate::ScoredPair scored;
  scored.attention = {.source = {{"a", {0, 1}}, {"b", {2, 3}}, {"</s>", {3, 3}}},
                      .target = {{"x", {0, 1}}, {"y", {2, 3}}, {"</s>", {3, 3}}},
                      .source_end = true,
                      .target_end = true,
                      .weights = {.8f, .1f, .1f, .1f, .8f, .1f, .8f, .1f, .1f}};
  text::TextConfig text;
  text.tokenizer = "whitespace";
  const std::vector<std::string> source = {"a b"}, target = {"x y"};
  const alignment::LinkWords words(text, false);
  EXPECT_EQ(alignment::format_alignment(translate::align_pairs({&scored, 1}, source, target, words)[0]), "0-0 1-1");
  EXPECT_EQ(
      alignment::format_alignment(translate::align_pairs({&scored, 1}, source, target, words, {.shift = true})[0]),
      "0-1 1-0");
}

}  // namespace
}  // namespace heed
