// The trace of a decoder, checked against the model's loss and its equations.
#include <gtest/gtest.h>

#include <cmath>

#include "search/search.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

const std::vector<Id> kTraced = {3, 4, 5, 6, 1}, kTarget = {7, 8, 9, 1};

struct Trace {
  std::vector<search::TraceStep> steps;
  std::vector<std::vector<float>> encoder;
};

Trace trace_of(const model::Model& model, int choices) {
  const search::SearchJob job{.source = kTraced, .prefix = kTarget, .options = {.trace = choices}};
  search::SearchResult result = search::Search(model).run({&job, 1}).at(0);
  return {result.hypotheses.at(0).trace, result.encoder_states};
}

TEST(Trace, ProbabilitiesAreTheModels) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(3);
    const Trace trace = trace_of(model, 5);
    ASSERT_EQ(trace.steps.size(), kTarget.size());
    ASSERT_EQ(trace.encoder.size(), kTraced.size());
    double loss = 0;
    for (const search::TraceStep& step : trace.steps) {
      loss -= std::log(step.written.probability);
      ASSERT_EQ(step.choices.size(), 5u);
      for (std::size_t k = 1; k < 5; ++k) EXPECT_GE(step.choices[k - 1].probability, step.choices[k].probability);
      EXPECT_LE(step.written.probability, step.choices[0].probability);
    }
    autograd::Tape tape(model.parameters(), nullptr);
    tape.clear(autograd::Tape::Mode::forward_only);
    const Ids sources[] = {kTraced}, targets[] = {kTarget};
    EXPECT_NEAR(loss, model.loss(tape, {sources, targets}, {}).loss, 1e-4);
    // A step reads the word and the state of the previous step.
    EXPECT_EQ(trace.steps[0].input, 0);
    for (std::size_t t = 1; t < trace.steps.size(); ++t) {
      EXPECT_EQ(trace.steps[t].input, kTarget[t - 1]);
      EXPECT_EQ(trace.steps[t].before, trace.steps[t - 1].state);
    }
  }
}

TEST(Trace, WeightsAreTheSoftmaxOfScoresAndContextTheWeightedSum) {
  int with_attention = 0;
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(3);
    const model::Score score = model.config().attention.score;
    for (const search::TraceStep& step : trace_of(model, 1).steps) {
      if (!model.config().attends()) {
        EXPECT_TRUE(step.weights.empty() && step.scores.empty());
        EXPECT_EQ(step.context.empty(), score == model::Score::none);
        continue;
      }
      ++with_attention;
      ASSERT_EQ(step.scores.size(), kTraced.size());
      ASSERT_EQ(step.weights.size(), kTraced.size());
      // Location attention's softmax also runs past the sentence: ratios hold there too.
      for (std::size_t s = 1; s < kTraced.size(); ++s)
        EXPECT_NEAR(step.weights[s] / step.weights[0], std::exp(step.scores[s] - step.scores[0]), 1e-4);
    }
    const Trace trace = trace_of(model, 1);
    for (const search::TraceStep& step : trace.steps)
      for (std::size_t j = 0; !step.weights.empty() && j < step.context.size(); ++j) {
        double sum = 0;
        for (std::size_t s = 0; s < kTraced.size(); ++s) sum += double{step.weights[s]} * trace.encoder[s][j];
        EXPECT_NEAR(step.context[j], sum, 1e-5);
      }
  }
  EXPECT_GE(with_attention, 8 * 4);
}

// Every hypothesis of a beam, among other sentences, has the same steps as when it is decoded alone.
TEST(Trace, FollowsEachHypothesisThroughTheBeam) {
  for (const model::Preset& preset : model::presets()) {
    SCOPED_TRACE(preset.name);
    model::Model model(small_config(preset.name));
    model.initialize(3);
    search::Search search(model);
    std::vector<search::SearchJob> jobs;
    for (const auto& source : kSmallSources)
      jobs.push_back({.source = source, .max_length = 7, .options = {.beam = 4, .nbest = 3, .trace = 2}});
    jobs[1].options.trace = 0;
    const auto results = search.run(jobs);
    EXPECT_TRUE(results[1].hypotheses[0].trace.empty() && results[1].encoder_states.empty());
    int compared = 0;
    for (const std::size_t i : {0u, 2u, 3u}) {
      ASSERT_EQ(results[i].encoder_states.size(), kSmallSources[i].size());
      for (const search::Hypothesis& h : results[i].hypotheses) {
        ASSERT_EQ(h.trace.size(), h.words.size());
        search::SearchJob alone = jobs[i];
        alone.prefix = h.words;
        alone.options.beam = alone.options.nbest = 1;
        const search::SearchResult again = search.run({&alone, 1}).at(0);
        EXPECT_EQ(again.encoder_states, results[i].encoder_states);
        for (std::size_t t = 0; t < h.words.size(); ++t) {
          const search::TraceStep &a = h.trace[t], &e = again.hypotheses[0].trace[t];
          EXPECT_EQ(a.input, e.input);
          EXPECT_EQ(a.written.word, h.words[t]);
          EXPECT_EQ(a.written.probability, e.written.probability);
          ASSERT_EQ(a.choices.size(), 2u);
          EXPECT_EQ(a.choices[1].word, e.choices[1].word);
          EXPECT_EQ(a.choices[1].probability, e.choices[1].probability);
          EXPECT_TRUE(a.embedding == e.embedding && a.before == e.before && a.state == e.state);
          EXPECT_TRUE(a.scores == e.scores && a.weights == e.weights && a.context == e.context);
          EXPECT_EQ(a.readout, e.readout);
          ++compared;
        }
      }
    }
    EXPECT_GT(compared, 10);
  }
}

}  // namespace
}  // namespace heed::testing
