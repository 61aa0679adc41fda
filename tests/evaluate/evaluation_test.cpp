#include "evaluate/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "alignment/attention_links.h"
#include "base/error.h"
#include "model/presets.h"
#include "translate/text_layer.h"

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

TEST_F(EvaluationTest, TheTextLayerIsUsedOnRequest) {
  model::Model model(model_config("bahdanau-lstm"));
  model.initialize(1);
  translate::Translator translator(model, pipeline);
  test.sources[0] = "A b c. D 42 d.";
  const auto requests = translate::requests_for(test.sources);
  const auto texts = [](const std::vector<translate::LineResult>& lines) {
    std::vector<std::string> all;
    for (const translate::LineResult& line : lines) all.push_back(line.best().text);
    return all;
  };
  const std::vector<std::string> plain = texts(translator.translate(requests, {}));
  const std::vector<std::string> layered = texts(translate::TextLayer(translator, {}).translate(requests, {}));
  ASSERT_NE(plain, layered);
  EXPECT_EQ(evaluate::evaluate(translator, test, {}).translations, plain);
  EXPECT_EQ(evaluate::evaluate(translator, test, {.text_layer = true}).translations, layered);
}

TEST_F(EvaluationTest, ExactComparesWords) {
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

// A model that writes lower case only is scored without case, unless the caller says otherwise.
TEST_F(EvaluationTest, CaseIsIgnoredForAModelThatWritesLowerCase) {
  text::TextConfig config = whitespace();
  config.normalize = {"lowercase"};
  translate::TextPipeline lower(config);
  lower.set_vocabularies(pipeline.source(), pipeline.target());
  model::Model model(model_config("luong-dot"));
  model.initialize(4);
  const auto scored = [&](const translate::TextPipeline& of, std::optional<bool> lowercase) {
    translate::Translator translator(model, of);
    return evaluate::evaluate(translator, test, {.lowercase = lowercase});
  };
  test.references = scored(pipeline, {}).translations;
  for (std::string& line : test.references)
    std::ranges::transform(line, line.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  for (const auto& [of, lowercase, ignored] :
       {std::tuple(&pipeline, std::optional<bool>(), false), std::tuple(&pipeline, std::optional(true), true),
        std::tuple(&lower, std::optional<bool>(), true), std::tuple(&lower, std::optional(false), false)}) {
    const evaluate::Evaluation result = scored(*of, lowercase);
    EXPECT_EQ(result.writes_lower_case, of == &lower);
    EXPECT_EQ(result.lowercase, ignored);
    EXPECT_EQ(result.exact, ignored ? 3 : 0);
    EXPECT_NE(result.exact_signature.find(ignored ? "|case:lc|" : "|case:mixed|"), std::string::npos);
    for (const std::size_t metric : {0, 1}) {
      EXPECT_EQ(result.scores[metric].score() > 99, ignored);
      EXPECT_TRUE(result.scores[metric].metric->settings().starts_with(ignored ? "case:lc|" : "case:mixed|"));
    }
    EXPECT_TRUE(result.scores[2].metric->settings().starts_with("case:lc|")) << "TER ignores case, as in sacreBLEU";
  }
}

// No other normalization is applied to references; it is counted.
TEST_F(EvaluationTest, ReferencesAreScoredAsTheyAre) {
  text::TextConfig config = whitespace();
  config.normalize = {"lowercase", "strip-accents", "collapse-whitespace"};
  translate::TextPipeline stripping(config);
  stripping.set_vocabularies(pipeline.source(), pipeline.target());
  model::Model model(model_config("luong-dot"));
  model.initialize(4);
  translate::Translator translator(model, stripping);
  test.references = evaluate::evaluate(translator, test, {}).translations;
  test.references[0] = "\u00e4 " + test.references[0];
  test.references[1] = "A   " + test.references[1];
  const evaluate::Evaluation result = evaluate::evaluate(translator, test, {});
  EXPECT_EQ(result.exact, 1);
  EXPECT_EQ(result.normalized_references, 1) << "neither case nor spaces count";
  EXPECT_EQ(result.normalize, (std::vector<std::string>{"strip-accents", "collapse-whitespace"}));
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
  ASSERT_EQ(comparison.intervals.size(), 3u);
  EXPECT_EQ(comparison.intervals[0][1].low, comparison.against_first[1][1].baseline_interval.low);
  EXPECT_EQ(comparison.intervals[2][1].high, comparison.against_first[1][1].system_interval.high);
}

}  // namespace
}  // namespace heed
