#include "evaluate/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alignment/attention_links.h"
#include "base/error.h"
#include "model/presets.h"

namespace heed {
namespace {

class EvaluationTest : public ::testing::Test {
 protected:
  static model::ModelConfig model_config(const char* preset) {
    model::ModelConfig c = model::preset_config(preset);
    c.encoder.hidden = c.decoder.hidden = 8;
    if (c.encoder.embedding != 0) c.encoder.embedding = c.decoder.embedding = 8;
    c.vocabulary = {.source = 7, .target = 7, .sos = 0, .eos = 1, .unk = 2};
    return c;
  }
  static text::TextConfig whitespace() {
    text::TextConfig text;
    text.tokenizer = "whitespace";
    return text;
  }
  EvaluationTest() : pipeline(whitespace()) {
    const text::Vocabulary words({"<sos>", "<eos>", "<unk>", "a", "b", "c", "d"}, {.sos = 0, .eos = 1, .unk = 2},
                                 "test");
    pipeline.set_vocabularies(words, words);
  }
  evaluate::Evaluation evaluated(const char* preset, std::uint64_t seed) {
    model::Model model(model_config(preset));
    model.initialize(seed);
    translate::Translator translator(model, pipeline);
    return evaluate::evaluate(translator, test, {});
  }

  translate::TextPipeline pipeline;
  evaluate::TestSet test{
      .sources = {"a b c", "d d", "c"}, .references = {"b c q", "a", "c c c"}, .gold = {{{0, 0}}, {}, {{0, 1}}}};
};

TEST_F(EvaluationTest, MeasuresEverything) {
  const evaluate::Evaluation result = evaluated("bahdanau-lstm", 1);
  EXPECT_EQ(result.system, "bahdanau-lstm");
  EXPECT_EQ(result.translations.size(), 3u);
  ASSERT_EQ(result.scores.size(), 3u);
  EXPECT_EQ(result.scores[0].name, "bleu");
  EXPECT_EQ(result.scores[0].score(), metrics::corpus_score(*metrics::make_metric("bleu"), result.translations,
                                                            metrics::References{test.references}));
  EXPECT_EQ(result.perplexity.tokens, 10);
  EXPECT_EQ(result.perplexity.unknown, 1);
  // An untrained model nearly guesses among seven words.
  EXPECT_GT(result.perplexity.value, 3);
  EXPECT_LT(result.perplexity.value, 20);
  EXPECT_GT(result.sentences_per_second, 0);
  EXPECT_GT(result.target_tokens_per_second, result.sentences_per_second);
  ASSERT_TRUE(result.alignment.has_value());
  EXPECT_EQ(result.alignment->sure_links(), 2);
}

TEST_F(EvaluationTest, ExactComparesTheTokenizersWords) {
  model::Model model(model_config("luong-dot"));
  model.initialize(4);
  translate::Translator translator(model, pipeline);
  test.references = evaluate::evaluate(translator, test, {}).translations;
  EXPECT_EQ(evaluate::evaluate(translator, test, {}).exact, 3);
  test.references[0] = "  " + test.references[0] + " ";
  EXPECT_EQ(evaluate::evaluate(translator, test, {}).exact, 3);
  test.references[1] += " b";
  EXPECT_EQ(evaluate::evaluate(translator, test, {}).exact, 2);
}

TEST_F(EvaluationTest, PerplexityIsThatOfScoredPairs) {
  model::Model model(model_config("luong-dot"));
  model.initialize(4);
  translate::Translator translator(model, pipeline);
  const evaluate::Evaluation result = evaluate::evaluate(translator, test, {});
  double loss = 0;
  std::size_t count = 0;
  for (const translate::ScoredPair& pair : score_pairs(model, pipeline, test.sources, test.references))
    for (const float p : pair.log_probabilities) loss -= static_cast<double>(p), ++count;
  EXPECT_NEAR(result.perplexity.value, std::exp(loss / static_cast<double>(count)), 1e-9);
}

TEST_F(EvaluationTest, WithoutAttentionThereIsNoAlignment) {
  EXPECT_FALSE(evaluated("vanilla", 1).alignment.has_value());
  test.gold.clear();
  EXPECT_FALSE(evaluated("bahdanau-lstm", 1).alignment.has_value());
}

TEST_F(EvaluationTest, UnequalCountsAreRejected) {
  test.references.pop_back();
  EXPECT_THROW(evaluated("vanilla", 1), InputError);
  test.references.emplace_back("c");
  test.gold.pop_back();
  EXPECT_THROW(evaluated("vanilla", 1), InputError);
}

TEST_F(EvaluationTest, ModelsAreTestedAgainstTheFirst) {
  evaluate::Comparison comparison;
  comparison.models.push_back(evaluated("bahdanau-lstm", 1));
  comparison.models.push_back(evaluated("bahdanau-lstm", 1));
  comparison.models.push_back(evaluated("bahdanau-lstm", 2));
  compare_to_first(comparison, {.bootstrap_samples = 50, .randomization_trials = 100});
  ASSERT_EQ(comparison.against_first.size(), 2u);
  ASSERT_EQ(comparison.against_first[0].size(), 3u);
  EXPECT_EQ(comparison.against_first[0][0].randomization_p, 1);
  EXPECT_EQ(comparison.against_first[1][1].baseline_score, comparison.models[0].scores[1].score());
  EXPECT_EQ(comparison.against_first[1][1].system_score, comparison.models[2].scores[1].score());
}

}  // namespace
}  // namespace heed
