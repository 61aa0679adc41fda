// Changes to what the decoder computes, checked against its equations.
#include "search/what_if.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "search/same_results.h"
#include "search/search.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

const std::vector<Id> kSource = {3, 4, 5, 6, 1};

search::SearchJob job_with(int beam, int nbest = 1) {
  return {.source = kSource, .max_length = 8, .options = {.beam = beam, .nbest = nbest, .trace = 5}};
}

// Calls test(model) for every preset whose model has attention weights.
template <class Test>
void with_attention(Test test) {
  int count = 0;
  for (const model::Preset& preset : model::presets()) {
    model::Model model(small_config(preset.name));
    model.initialize(3);
    const search::SearchJob job = job_with(1);
    if (search::Search(model).run({&job, 1}).at(0).hypotheses[0].trace[0].weights.empty()) continue;
    SCOPED_TRACE(preset.name);
    test(model);
    ++count;
  }
  EXPECT_GT(count, 3);
}

TEST(WhatIf, WithoutChangesIsTheSearch) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(3);
    for (const int beam : {1, 4}) {
      const search::SearchJob job = job_with(beam, beam);
      const search::SearchResult plain = search::Search(model).run({&job, 1}).at(0);
      expect_same({search_with(model, job, {}).hypotheses}, {plain.hypotheses}, "no changes");
      // What the model does anyway changes nothing.
      search::Changes same;
      if (beam == 1)
        for (std::size_t t = 0; t < plain.hypotheses[0].words.size(); ++t)
          same.words[static_cast<Index>(t)] = plain.hypotheses[0].words[t];
      expect_same({search_with(model, job, same).hypotheses}, {plain.hypotheses}, "its own words");
    }
  }
}

TEST(WhatIf, AForcedWordIsWrittenAndRead) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(3);
  const search::SearchJob job = job_with(1);
  const search::Hypothesis plain = search::Search(model).run({&job, 1}).at(0).hypotheses[0];
  const Id other = plain.words[1] == 5 ? 6 : 5;
  const search::Hypothesis changed = search_with(model, job, {.words = {{1, other}}}).hypotheses[0];
  ASSERT_GE(changed.words.size(), 3u);
  EXPECT_EQ(changed.words[0], plain.words[0]);
  EXPECT_EQ(changed.words[1], other);
  EXPECT_EQ(changed.trace[2].input, other);
  // The word keeps the probability that the model gives it, as forced decoding does.
  const std::vector<Id> prefix = {plain.words[0], other};
  search::SearchJob forced = job;
  forced.prefix = prefix;
  expect_same({{changed}}, {search::Search(model).run({&forced, 1}).at(0).hypotheses}, "a forced prefix");
}

TEST(WhatIf, OneHotAttentionGivesThatState) {
  with_attention([](const model::Model& model) {
    const search::SearchJob job = job_with(1);
    std::vector<float> one_hot(kSource.size());
    one_hot[2] = 7;  // any positive number
    const search::SearchResult result = search_with(model, job, {.weights = {{0, one_hot}, {1, one_hot}}});
    const search::TraceStep& step = result.hypotheses[0].trace[0];
    for (std::size_t s = 0; s < kSource.size(); ++s) EXPECT_EQ(step.weights[s], s == 2 ? 1.0F : 0.0F) << s;
    ASSERT_EQ(step.context.size(), result.encoder_states[2].size());
    for (std::size_t j = 0; j < step.context.size(); ++j)
      EXPECT_FLOAT_EQ(step.context[j], result.encoder_states[2][j]) << j;
    const search::TraceStep plain = search_with(model, job, {}).hypotheses[0].trace[0];
    EXPECT_NE(step.readout, plain.readout) << "the context has no effect";
  });
}

TEST(WhatIf, MaskedWordsGetNoWeightAndTheOthersShareIt) {
  with_attention([](const model::Model& model) {
    const search::SearchJob job = job_with(1);
    const search::TraceStep plain = search_with(model, job, {}).hypotheses[0].trace[0];
    const search::SearchResult result = search_with(model, job, {.masked = {0, 3}});
    for (const search::TraceStep& step : result.hypotheses[0].trace) {
      EXPECT_EQ(step.weights[0], 0.0F);
      EXPECT_EQ(step.weights[3], 0.0F);
    }
    const search::TraceStep& step = result.hypotheses[0].trace[0];
    const float rest = 1 - plain.weights[0] - plain.weights[3];
    for (const std::size_t s : {1, 2, 4}) EXPECT_NEAR(step.weights[s], plain.weights[s] / rest, 1e-3) << s;
    for (std::size_t j = 0; j < step.context.size(); ++j) {
      double sum = 0;
      for (std::size_t s = 0; s < kSource.size(); ++s)
        sum += static_cast<double>(step.weights[s]) * static_cast<double>(result.encoder_states[s][j]);
      EXPECT_NEAR(step.context[j], sum, 1e-5);
    }
  });
}

TEST(WhatIf, TemperatureDividesTheLogits) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(3);
  const search::SearchJob job = job_with(1);
  const auto choices = [&](double temperature) {
    return search_with(model, job, {.temperature = temperature}).hypotheses[0].trace[0].choices;
  };
  const auto plain = choices(1), flat = choices(2);
  for (std::size_t k = 1; k < plain.size(); ++k) {
    EXPECT_EQ(flat[k].word, plain[k].word);
    EXPECT_NEAR(flat[k].probability / flat[0].probability, std::sqrt(plain[k].probability / plain[0].probability),
                1e-5);
  }
  EXPECT_LT(flat[0].probability, plain[0].probability);
}

TEST(WhatIf, RefusesWhatMakesNoSense) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(3);
  const search::SearchJob job = job_with(1);
  const auto n = kSource.size();
  for (const search::Changes& wrong :
       {search::Changes{.words = {{0, 9999}}}, search::Changes{.words = {{0, -1}}},
        search::Changes{.weights = {{0, std::vector<float>(n - 1, 1)}}},
        search::Changes{.weights = {{0, std::vector<float>(n, 0)}}},
        search::Changes{.weights = {{0, std::vector<float>(n, -1)}}},
        search::Changes{.weights = {{0, std::vector<float>(n, NAN)}}}, search::Changes{.masked = {5}},
        search::Changes{.masked = {-1}}, search::Changes{.masked = {0, 1, 2, 3, 4}}, search::Changes{.temperature = 0}})
    EXPECT_THROW(search_with(model, job, wrong), UsageError);
}

// The words that a running search is certain of are how its result begins, and a greedy search is certain of all.
TEST(AgreedWords, AreHowTheResultBegins) {
  model::Model model(small_config("bigru-deep-output"));
  model.initialize(3);
  for (const int beam : {1, 2, 5}) {
    search::SearchJob job = job_with(beam);
    job.options.trace = 0;
    const std::vector<Id> result = search::Search(model).run({&job, 1}).at(0).hypotheses[0].words;
    search::Search search(model);
    const auto ticket = search.join(job);
    std::vector<Id> words, before;
    for (std::size_t step = 1; search.busy(); ++step, before = words) {
      search.step();
      search.agreed_words(ticket, words);
      if (!search.busy()) break;
      ASSERT_LE(words.size(), result.size());
      EXPECT_TRUE(std::equal(words.begin(), words.end(), result.begin()));
      EXPECT_GE(words.size(), before.size());
      if (beam == 1) {
        EXPECT_EQ(words.size(), step);
      }
    }
  }
}

}  // namespace
}  // namespace heed::testing
