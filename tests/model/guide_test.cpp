// Guided attention: the gradient of the guides' loss, and that a model learns to follow the guides.
#include <gtest/gtest.h>

#include "model/model.h"
#include "support/small_models.h"

namespace heed::testing {
namespace {

const std::vector<std::vector<Id>> kGuidedSources = {{3, 4, 5, 1}, {6, 1}, {7, 8, 9, 10, 11, 3, 1}};
const std::vector<std::vector<Id>> kGuidedTargets = {{3, 1}, {4, 5, 6, 7, 8, 1}, {9, 10, 11, 12, 1}};
// Words with one link, with two and without links; a sentence without links.
const std::vector<Guide> kFirst = {{0, 2, 0.5f}, {0, 1, 0.5f}, {1, 3, 1}}, kThird = {{1, 6, 1}, {3, 0, 1}};

class Guided : public ::testing::Test {
 protected:
  const std::vector<Ids> sources{kGuidedSources.begin(), kGuidedSources.end()},
      targets{kGuidedTargets.begin(), kGuidedTargets.end()};
  const std::vector<Guides> guides{kFirst, {}, kThird};
  const model::BatchView batch{sources, targets, guides};
};

TEST_F(Guided, GradientsAreDerivatives) {
  for (const char* preset : {"bahdanau-lstm", "luong-general", "location-gru"}) {
    for (const double teacher_forcing : {1.0, 0.5}) {
      SCOPED_TRACE(preset);
      model::ModelConfig config = small_config(preset);
      config.dropout = {};
      model::Model model(config, DType::f64);
      model.initialize(3);
      autograd::Gradients gradients(model.parameters());
      autograd::Tape tape(model.parameters(), &gradients);
      const std::vector<std::uint32_t> keys = {0, 1, 2};
      const model::TrainRandom random{.seed = 1, .update = 0, .sentence_keys = keys};
      const model::BatchLossOptions options{
          .weight = 0.3, .random = &random, .teacher_forcing = teacher_forcing, .guide_weight = 0.7};
      const auto objective = [&](autograd::Tape::Mode mode) {
        tape.clear(mode);
        const model::BatchLoss computed = model.loss(tape, batch, options);
        EXPECT_GT(computed.guide_loss, 0);
        return 0.3 * (computed.loss + 0.7 * computed.guide_loss);
      };
      objective(autograd::Tape::Mode::record);
      tape.backward();
      for (std::size_t k = 0; k < model.parameters().size(); ++k) {
        const autograd::Parameter& p = model.parameters()[k];
        for (const Index i : {Index{0}, p.value.elements() * 2 / 3}) {
          double& x = p.value.data<double>()[i];
          const double before = x;
          x = before + 1e-5;
          const double above = objective(autograd::Tape::Mode::forward_only);
          x = before - 1e-5;
          const double below = objective(autograd::Tape::Mode::forward_only);
          x = before;
          EXPECT_NEAR(gradients[autograd::ParameterId{static_cast<int>(k)}].data<double>()[i], (above - below) / 2e-5,
                      1e-7)
              << p.name << " " << i;
        }
      }
    }
  }
}

// Gradient descent on the guides' loss alone moves the weights to the guides.
TEST_F(Guided, AttentionLearnsToFollow) {
  model::Model model(small_config("bahdanau-lstm"), DType::f64);
  model.initialize(5);
  autograd::Gradients gradients(model.parameters());
  autograd::Tape tape(model.parameters(), &gradients);
  double before = 0, after = 0;
  for (int step = 0; step < 300; ++step) {
    gradients.clear();
    tape.clear(autograd::Tape::Mode::record);
    after = model.loss(tape, batch, {.weight = 1e-9, .guide_weight = 1e9}).guide_loss;
    if (step == 0) before = after;
    tape.backward();
    const Tensor p = model.parameters().flat(), g = gradients.flat();
    for (Index i = 0; i < p.columns(); ++i) p.data<double>()[i] -= 0.3 * g.data<double>()[i];
  }
  EXPECT_GT(before, 5);
  // The remaining loss is the entropy of the word with two links, log 2.
  EXPECT_LT(after, 0.8);
}

TEST_F(Guided, RefusesInvalidGuides) {
  model::Model model(small_config("bahdanau-lstm"), DType::f64), vanilla(small_config("vanilla"), DType::f64);
  autograd::Tape tape(model.parameters(), nullptr), vanilla_tape(vanilla.parameters(), nullptr);
  const auto loss_with = [&](std::vector<Guide> first) {
    tape.clear(autograd::Tape::Mode::forward_only);
    const std::vector<Guides> all{first, {}, {}};
    return model.loss(tape, {sources, targets, all}, {});
  };
  EXPECT_NO_THROW(loss_with({{0, 3, 1}}));
  EXPECT_THROW(loss_with({{0, 4, 1}}), ShapeError);             // no such source word
  EXPECT_THROW(loss_with({{2, 0, 1}}), ShapeError);             // no such target word
  EXPECT_THROW(loss_with({{1, 0, 1}, {0, 0, 1}}), ShapeError);  // not in order
  vanilla_tape.clear(autograd::Tape::Mode::forward_only);
  EXPECT_THROW(vanilla.loss(vanilla_tape, batch, {}), UsageError);
}

}  // namespace
}  // namespace heed::testing
