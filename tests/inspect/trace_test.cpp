// The trace of a decoder shows what the model computes: checked against its losses and its own equations.
#include "inspect/trace.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/small_models.h"

namespace heed::testing {
namespace {

const std::vector<Id> kTraced = {3, 4, 5, 6, 1}, kTarget = {7, 8, 9, 1};

TEST(Trace, ProbabilitiesAreTheModels) {
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    Model model(small_config(preset.name));
    model.initialise(3);
    const DecoderTrace trace = trace_decoder(model, kTraced, kTarget, 5);
    ASSERT_EQ(trace.steps.size(), kTarget.size());
    ASSERT_EQ(trace.encoder.size(), kTraced.size());
    double loss = 0;
    for (const TraceStep& step : trace.steps) {
      loss -= std::log(step.written.probability);
      ASSERT_EQ(step.choices.size(), 5u);
      for (std::size_t k = 1; k < 5; ++k) EXPECT_GE(step.choices[k - 1].probability, step.choices[k].probability);
      EXPECT_LE(step.written.probability, step.choices[0].probability);
    }
    Tape tape(model.parameters(), nullptr);
    tape.clear(Tape::Mode::forward_only);
    const Ids sources[] = {kTraced}, targets[] = {kTarget};
    EXPECT_NEAR(loss, model.forced(tape, {sources, targets}, {}).loss, 1e-4);
    // What a step reads is what the one before it wrote and left behind.
    EXPECT_EQ(trace.steps[0].input, 0);
    for (std::size_t t = 1; t < trace.steps.size(); ++t) {
      EXPECT_EQ(trace.steps[t].input, kTarget[t - 1]);
      EXPECT_EQ(trace.steps[t].before, trace.steps[t - 1].state);
    }
  }
}

TEST(Trace, WeightsAreTheSoftmaxOfScoresAndContextTheWeightedSum) {
  int with_attention = 0;
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    Model model(small_config(preset.name));
    model.initialise(3);
    const std::string score = model.config().attention.score;
    for (const TraceStep& step : trace_decoder(model, kTraced, kTarget, 1).steps) {
      if (score == "none" || score == "constant") {
        EXPECT_TRUE(step.weights.empty() && step.scores.empty());
        EXPECT_EQ(step.context.empty(), score == "none");
        continue;
      }
      ++with_attention;
      ASSERT_EQ(step.scores.size(), kTraced.size());
      ASSERT_EQ(step.weights.size(), kTraced.size());
      // Location attention's softmax also runs past the sentence: ratios hold there too.
      for (std::size_t s = 1; s < kTraced.size(); ++s)
        EXPECT_NEAR(step.weights[s] / step.weights[0], std::exp(step.scores[s] - step.scores[0]), 1e-4);
    }
    const DecoderTrace trace = trace_decoder(model, kTraced, kTarget, 1);
    for (const TraceStep& step : trace.steps)
      for (std::size_t j = 0; !step.weights.empty() && j < step.context.size(); ++j) {
        double sum = 0;
        for (std::size_t s = 0; s < kTraced.size(); ++s) sum += double{step.weights[s]} * trace.encoder[s][j];
        EXPECT_NEAR(step.context[j], sum, 1e-5);
      }
  }
  EXPECT_GE(with_attention, 8 * 4);
}

TEST(Trace, RefusesIdsOutOfRange) {
  Model model(small_config("luong-dot"));
  model.initialise(3);
  EXPECT_THROW(trace_decoder(model, kTraced, std::vector<Id>{7, 14}, 1), ShapeError);
  EXPECT_THROW(trace_decoder(model, kTraced, std::vector<Id>{-1}, 1), ShapeError);
  EXPECT_TRUE(trace_decoder(model, kTraced, {}, 1).steps.empty());
}

}  // namespace
}  // namespace heed::testing
