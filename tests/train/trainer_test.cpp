// Learning: the loop finds what there is to learn, the same way every time.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/presets.h"
#include "support/op_cases.h"

namespace heed::testing {
namespace {

constexpr int kWords = 12;  // ids 3 to 14; 0 sos, 1 eos, 2 unk

// The reverse task: the target is the source backwards.
ExampleStore reverse_task(std::size_t count, std::uint32_t salt) {
  ExampleWriter writer;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random(salt, Stream::test, i);
    std::vector<TokenId> source;
    for (std::uint32_t k = 0; k < 2 + random.below(0, 4); ++k)
      source.push_back(static_cast<TokenId>(3 + random.below(k + 1, kWords)));
    std::vector<TokenId> target(source.rbegin(), source.rend());
    source.push_back(1);
    target.push_back(1);
    writer.add(source, target);
  }
  return writer.finish();
}

ModelConfig small_model(std::string_view preset) {
  ModelConfig c = preset_config(preset);
  c.encoder.hidden = c.decoder.hidden = 32;
  c.encoder.embedding = c.decoder.embedding = 24;
  if (c.readout.size != 0) c.readout.size = 24;
  c.dropout = {};
  c.vocabulary = {.source = kWords + 3, .target = kWords + 3, .sos = 0, .eos = 1, .unk = 2};
  return c;
}

TrainingConfig quick() {
  TrainingConfig c;
  c.learning_rate = 0.005;
  c.batch = 32;
  c.threads = 2;
  c.optimiser.clip = 1;
  return c;
}

TEST(Trainer, LearnsToReverse) {
  const ExampleStore train = reverse_task(2000, 1), valid = reverse_task(100, 2);
  Model model(small_model("heed"));
  model.initialise(1);
  TrainingConfig config = quick();
  config.epochs = 12;
  Trainer trainer(model, config, train);
  const Validation before = trainer.validate(valid, 100);
  while (!trainer.done()) trainer.update();
  const Validation after = trainer.validate(valid, 100);
  EXPECT_GT(before.perplexity, 8);
  EXPECT_LT(after.perplexity, 1.2);
  EXPECT_GT(after.exact, 0.9);
  EXPECT_EQ(after.sentences, 100u);
}

TEST(Trainer, EverySystemFitsABatchToNearlyNothing) {
  const ExampleStore train = reverse_task(8, 3);
  for (const Preset& preset : presets()) {
    ModelConfig c = small_model(preset.name);
    Model model(c);
    model.initialise(1);
    TrainingConfig config = quick();
    config.batch = 8;
    config.updates = 250;
    Trainer trainer(model, config, train);
    double loss = 0;
    while (!trainer.done()) loss = trainer.update().loss;
    EXPECT_LT(loss, 0.05) << preset.name;
  }
}

std::vector<double> trained(const TrainingConfig& config, const ExampleStore& train) {
  Model model(small_model("bigru-deep-output"));
  model.initialise(9);
  Trainer trainer(model, config, train);
  while (!trainer.done()) trainer.update();
  return numbers(model.parameters().flat());
}

TEST(Trainer, TheSameSeedAndThreadsGiveTheSameBits) {
  const ExampleStore train = reverse_task(200, 4);
  TrainingConfig config = quick();
  config.updates = 12;
  config.teacher_forcing = 0.5;
  const auto first = trained(config, train);
  EXPECT_EQ(trained(config, train), first);
  config.seed = 2;
  EXPECT_NE(trained(config, train), first);
}

// One worker and three: the same sums in another order, so the same numbers but for rounding.
TEST(Trainer, OtherThreadCountsDifferByRoundingOnly) {
  const ExampleStore train = reverse_task(200, 5);
  TrainingConfig config = quick();
  config.updates = 3;
  config.optimiser.name = "sgd";
  config.learning_rate = 0.1;
  config.threads = 1;
  const auto one = trained(config, train);
  config.threads = 3;
  const auto three = trained(config, train);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], three[i], 1e-5);
}

TEST(Trainer, ALossThatIsNoNumberStopsWithTheUpdateNamed) {
  const ExampleStore train = reverse_task(64, 6);
  Model model(small_model("vanilla"));
  model.initialise(1);
  model.parameters()[std::size_t{0}].value.data<float>()[3 * 24] = std::nanf("");
  TrainingConfig config = quick();
  config.batch = 64;
  Trainer trainer(model, config, train);
  try {
    trainer.update();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("update 1"), std::string::npos) << error.what();
  }
}

TEST(Trainer, TheRateFallsInAStraightLine) {
  const ExampleStore train = reverse_task(64, 7);
  Model model(small_model("vanilla"));
  model.initialise(1);
  TrainingConfig config = quick();
  config.updates = 10;
  config.decay_start = 0.5;
  config.decay_to = 0.2;
  Trainer trainer(model, config, train);
  std::vector<double> rates;
  while (!trainer.done()) rates.push_back(trainer.update().rate / config.learning_rate);
  EXPECT_NEAR(rates[5], 1, 1e-12);
  EXPECT_NEAR(rates[6], 1 - 0.2 * 0.8, 1e-12);
  EXPECT_NEAR(rates[9], 1 - 0.8 * 0.8, 1e-12);
}

}  // namespace
}  // namespace heed::testing
