// The trainer: it learns small tasks, and its results are reproducible.
#include "train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/presets.h"
#include "support/op_cases.h"
#include "support/rank_threads.h"

namespace heed::testing {
namespace {

constexpr int kWords = 12;  // ids 3 to 14; 0 sos, 1 eos, 2 unk

// The reverse task: the target is the source backwards.
data::ExampleStore reverse_task(std::size_t count, std::uint32_t salt) {
  data::ExampleWriter writer;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Random random(salt, Stream::test, i);
    std::vector<text::TokenId> source;
    for (std::uint32_t k = 0; k < 2 + random.below(0, 4); ++k)
      source.push_back(static_cast<text::TokenId>(3 + random.below(k + 1, kWords)));
    std::vector<text::TokenId> target(source.rbegin(), source.rend());
    source.push_back(1);
    target.push_back(1);
    writer.add(source, target);
  }
  return writer.finish();
}

model::ModelConfig small_model(std::string_view preset) {
  model::ModelConfig c = model::preset_config(preset);
  c.encoder.hidden = c.decoder.hidden = 32;
  c.encoder.embedding = c.decoder.embedding = 24;
  if (c.readout.size != 0) c.readout.size = 24;
  c.dropout = {};
  c.vocabulary = {.source = kWords + 3, .target = kWords + 3, .sos = 0, .eos = 1, .unk = 2};
  return c;
}

train::TrainingConfig quick() {
  train::TrainingConfig c;
  c.learning_rate = 0.005;
  c.batch = 32;
  c.threads = 2;
  c.optimizer.clip = 1;
  return c;
}

// The mean loss per token, and the fraction of tokens that the model finds likeliest.
std::pair<double, double> evaluate(const model::Model& model, const data::ExampleStore& examples) {
  autograd::Tape tape(model.parameters(), nullptr);
  tape.clear(autograd::Tape::Mode::forward_only);
  std::vector<Ids> source, target;
  for (std::size_t i = 0; i < examples.size(); ++i)
    source.push_back(examples.source(i)), target.push_back(examples.target(i));
  const model::BatchLoss forced = model.loss(tape, {source, target}, {});
  const Ids words = packed_words(tape.arena(), forced.target, target), likeliest = model.predictions(tape, forced);
  double hits = 0;
  for (std::size_t i = 0; i < words.size(); ++i) hits += words[i] == likeliest[i] ? 1 : 0;
  const auto tokens = static_cast<double>(words.size());
  return {forced.loss / tokens, hits / tokens};
}

TEST(Trainer, LearnsToReverse) {
  const data::ExampleStore train = reverse_task(2000, 1), valid = reverse_task(100, 2);
  model::Model model(small_model("heed"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.epochs = 12;
  train::Trainer trainer(model, config, {train});
  const auto [loss_before, accuracy_before] = evaluate(model, valid);
  while (!trainer.done()) trainer.update();
  const auto [loss, accuracy] = evaluate(model, valid);
  EXPECT_GT(loss_before, 2);
  EXPECT_LT(accuracy_before, 0.3);
  EXPECT_LT(loss, 0.2);
  EXPECT_GT(accuracy, 0.95);
}

TEST(Trainer, EveryPresetOverfitsOneBatch) {
  const data::ExampleStore train = reverse_task(8, 3);
  for (const model::Preset& preset : model::presets()) {
    model::ModelConfig c = small_model(preset.name);
    model::Model model(c);
    model.initialize(1);
    train::TrainingConfig config = quick();
    config.batch = 8;
    config.updates = 250;
    train::Trainer trainer(model, config, {train});
    double loss = 0;
    while (!trainer.done()) loss = trainer.update().loss;
    EXPECT_LT(loss, 0.05) << preset.name;
  }
}

std::vector<double> trained(const train::TrainingConfig& config, const data::ExampleStore& train) {
  model::Model model(small_model("bigru-deep-output"));
  model.initialize(9);
  train::Trainer trainer(model, config, {train});
  while (!trainer.done()) trainer.update();
  return numbers(model.parameters().flat());
}

TEST(Trainer, TheSameSeedAndThreadsGiveTheSameBits) {
  const data::ExampleStore train = reverse_task(200, 4);
  train::TrainingConfig config = quick();
  config.updates = 12;
  config.teacher_forcing = 0.5;
  const auto first = trained(config, train);
  EXPECT_EQ(trained(config, train), first);
  config.seed = 2;
  EXPECT_NE(trained(config, train), first);
}

// Two ranks with one thread each give the bits of one process with two threads, on both ranks.
TEST(Trainer, TwoRanksGiveTheBitsOfTwoThreads) {
  const data::ExampleStore train = reverse_task(100, 4);
  train::TrainingConfig config = quick();
  config.updates = 12;
  config.batch = 21;
  config.accumulate = 2;
  config.teacher_forcing = 0.5;
  config.ema = 0.9;
  model::ModelConfig c = small_model("bahdanau-lstm");
  c.dropout = {.source_embedding = 0.2, .source_words = 0.1};
  const auto run = [&](train::Communicator& communicator, std::vector<double>& history) {
    model::Model model(c);
    model.initialize(9);
    train::Trainer trainer(model, config, {train}, communicator);
    trainer.estimate_cost();
    while (!trainer.done()) {
      const train::UpdateReport report = trainer.update();
      history.insert(history.end(), {report.loss, report.gradient_norm});
    }
    for (const auto& [name, tensor] : trainer.tensors())
      for (const double x : numbers(tensor)) history.push_back(x);
  };
  std::vector<double> one, ranks[2];
  run(train::single_process(), one);
  config.threads = 1;
  RankThreads::run(2, [&](train::Communicator& communicator) { run(communicator, ranks[communicator.rank()]); });
  EXPECT_EQ(ranks[0], one);
  EXPECT_EQ(ranks[1], one);
}

// With another number of workers the same terms are added in another order.
TEST(Trainer, OtherThreadCountsDifferByRoundingOnly) {
  const data::ExampleStore train = reverse_task(200, 5);
  train::TrainingConfig config = quick();
  config.updates = 3;
  config.optimizer.kind = train::OptimizerKind::sgd;
  config.learning_rate = 0.1;
  config.threads = 1;
  const auto one = trained(config, train);
  config.threads = 3;
  const auto three = trained(config, train);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], three[i], 1e-5);
}

TEST(Trainer, ANaNLossIsAnErrorThatNamesTheUpdate) {
  const data::ExampleStore train = reverse_task(64, 6);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  model.parameters()[std::size_t{0}].value.data<float>()[3 * 24] = std::nanf("");
  train::TrainingConfig config = quick();
  config.batch = 64;
  train::Trainer trainer(model, config, {train});
  try {
    trainer.update();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("update 1"), std::string::npos) << error.what();
  }
}

TEST(Trainer, TheScheduleSetsTheRate) {
  const data::ExampleStore train = reverse_task(64, 7);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.updates = 10;
  config.schedule = {.kind = train::ScheduleKind::linear, .from = 0.5, .floor = 0.2};
  train::Trainer trainer(model, config, {train});
  std::vector<double> rates;
  while (!trainer.done()) rates.push_back(trainer.update().rate / config.learning_rate);
  EXPECT_NEAR(rates[5], 1, 1e-12);
  EXPECT_NEAR(rates[6], 1 - 0.2 * 0.8, 1e-12);
  EXPECT_NEAR(rates[9], 1 - 0.8 * 0.8, 1e-12);
  trainer.set_rate_factor(0.5);
  EXPECT_NEAR(trainer.rate() / config.learning_rate, 0.5 * 0.2, 1e-12);
}

// Eight batches of 32 and one batch of 256 contain the same sentences, because the whole task is one update. The large
// batch is computed in several micro-batches.
TEST(Trainer, AccumulatedBatchesAreOneBatch) {
  const data::ExampleStore train = reverse_task(256, 8);
  train::TrainingConfig config = quick();
  config.optimizer = {.kind = train::OptimizerKind::sgd};
  config.learning_rate = 0.5;
  config.updates = 1;
  for (const train::LossReduction loss : {train::LossReduction::mean, train::LossReduction::sum}) {
    config.loss = loss;
    config.batch = 256;
    config.accumulate = 1;
    const auto whole = trained(config, train);
    config.batch = 32;
    const auto first = trained(config, train);
    config.accumulate = 8;
    const auto parts = trained(config, train);
    ASSERT_EQ(whole.size(), parts.size());
    double largest = 0, unlike = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      largest = std::max(largest, std::abs(whole[i] - parts[i]));
      unlike = std::max(unlike, std::abs(whole[i] - first[i]));
    }
    EXPECT_LT(largest, 2e-6) << enum_name(loss);
    EXPECT_GT(unlike, 1e-3) << enum_name(loss);
  }
}

TEST(Trainer, TheLastUpdateOfAnEpochMayHaveFewerBatches) {
  const data::ExampleStore train = reverse_task(40, 9);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.batch = 8;  // five batches per epoch
  config.accumulate = 2;
  config.epochs = 2;
  train::Trainer trainer(model, config, {train});
  std::vector<bool> ends;
  while (!trainer.done()) trainer.update(), ends.push_back(trainer.epoch_ended());
  EXPECT_EQ(ends, (std::vector<bool>{false, false, true, false, false, true}));
  EXPECT_EQ(trainer.updates(), 6);
}

TEST(Trainer, TheMovingAverageFollowsTheParameters) {
  const data::ExampleStore train = reverse_task(64, 10);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.ema = 0.5;
  train::Trainer trainer(model, config, {train});
  std::vector<double> average = numbers(model.parameters().flat());
  for (int t = 1; t <= 30; ++t) {
    trainer.update();
    const std::vector<double> now = numbers(model.parameters().flat());
    const double decay = std::min(0.5, (1.0 + t) / (10.0 + t));
    for (std::size_t i = 0; i < now.size(); ++i) average[i] = decay * average[i] + (1 - decay) * now[i];
  }
  const std::vector<double> kept = numbers(trainer.result().parameters().flat());
  ASSERT_EQ(kept.size(), average.size());
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_NEAR(kept[i], average[i], 1e-5);
  EXPECT_NE(kept, numbers(model.parameters().flat()));
}

// State and tensors are copied to another trainer between two updates.
TEST(Trainer, ContinuesFromACopiedStateWithTheSameBits) {
  const data::ExampleStore train = reverse_task(100, 11);
  train::TrainingConfig config = quick();
  config.batch = 16;
  config.epochs = 3;
  config.ema = 0.9;
  config.teacher_forcing = 0.7;
  model::ModelConfig c = small_model("bahdanau-lstm");
  c.dropout = {.source_embedding = 0.2, .source_words = 0.1, .recurrent = 0.2, .readout = 0.1};
  model::Model first(c);
  first.initialize(9);
  train::Trainer whole(first, config, {train});
  std::unique_ptr<model::Model> second;
  std::unique_ptr<train::Trainer> other;
  while (!whole.done()) {
    whole.update();
    if (other) other->update();
    if (whole.state().update != 9) continue;
    second = std::make_unique<model::Model>(c);
    other = std::make_unique<train::Trainer>(*second, config, train::TrainingExamples{train});
    const auto from = whole.tensors(), to = other->tensors();
    ASSERT_EQ(from.size(), 4u);  // parameters, two moments, the average
    for (std::size_t i = 0; i < from.size(); ++i)
      std::copy_n(from[i].second.data<float>(), from[i].second.columns(), to[i].second.data<float>());
    other->set_state(whole.state());
  }
  ASSERT_TRUE(other && other->done());
  EXPECT_EQ(numbers(first.parameters().flat()), numbers(second->parameters().flat()));
  EXPECT_EQ(numbers(whole.result().parameters().flat()), numbers(other->result().parameters().flat()));
}

TEST(Trainer, ComputeChangesNeitherParametersNorState) {
  const data::ExampleStore train = reverse_task(64, 12);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::Trainer trainer(model, quick(), {train});
  trainer.update();
  const auto parameters = numbers(model.parameters().flat());
  const train::Trainer::State state = trainer.state();
  trainer.estimate_cost();
  EXPECT_EQ(trainer.state().position, state.position);
  trainer.compute();
  EXPECT_FALSE(trainer.diverged());
  EXPECT_EQ(numbers(model.parameters().flat()), parameters);
  EXPECT_EQ(trainer.state().update, state.update);
  EXPECT_EQ(trainer.state().position, state.position);
  trainer.apply();
  EXPECT_NE(numbers(model.parameters().flat()), parameters);
  EXPECT_EQ(trainer.state().update, state.update + 1);
  EXPECT_NE(trainer.state().position, state.position);
}

TEST(Trainer, ResamplesTheExamplesOfEveryEpoch) {
  const data::ExampleStore train = reverse_task(50, 13);
  std::vector<std::int64_t> epochs;
  const train::TrainingExamples drawn{train, [&](std::int64_t epoch) {
                                        epochs.push_back(epoch);
                                        return reverse_task(50, 100 + static_cast<std::uint32_t>(epoch));
                                      }};
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.epochs = 3;
  train::Trainer trainer(model, config, drawn);
  while (!trainer.done()) trainer.update();
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{0, 1, 2}));
  const auto parameters = numbers(model.parameters().flat());

  // The same after resuming in the middle of the second epoch.
  model::Model other(small_model("vanilla"));
  other.initialize(1);
  train::Trainer again(other, config, drawn);
  again.update(), again.update(), again.update();
  model::Model third(small_model("vanilla"));
  train::Trainer rest(third, config, drawn);
  for (std::size_t i = 0; i < rest.tensors().size(); ++i)
    std::copy_n(again.tensors()[i].second.data<float>(), again.tensors()[i].second.columns(),
                rest.tensors()[i].second.data<float>());
  rest.set_state(again.state());
  while (!rest.done()) rest.update();
  EXPECT_EQ(numbers(third.parameters().flat()), parameters);
}

// The fraction of the attention that follows the guides.
double guided_fraction(const model::Model& model, const data::ExampleStore& examples, const data::GuideStore& guides) {
  autograd::Tape tape(model.parameters(), nullptr);
  double sum = 0, rows = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    tape.clear(autograd::Tape::Mode::forward_only);
    const Ids source = examples.source(i), target = examples.target(i);
    const model::BatchLoss forced = model.loss(tape, {{&source, 1}, {&target, 1}}, {});
    for (const Guide& guide : guides[i])
      sum += forced.weights.value.number(guide.row, guide.column), rows += static_cast<double>(guide.weight);
  }
  return sum / rows;
}

TEST(Trainer, AttentionFollowsTheGuides) {
  const data::ExampleStore train = reverse_task(200, 15);
  data::GuideStore guides;
  for (std::size_t i = 0; i < train.size(); ++i) {
    const auto words = static_cast<std::int32_t>(train.source(i).size()) - 1;
    std::vector<Guide> reversed;
    for (std::int32_t t = 0; t < words; ++t) reversed.push_back({t, words - 1 - t, 1});
    guides.add(reversed);
  }
  train::TrainingConfig config = quick();
  config.updates = 120;
  config.guided_weight = 1;
  model::Model free(small_model("heed")), guided(small_model("heed"));
  for (model::Model* model : {&free, &guided}) {
    model->initialize(1);
    train::Trainer trainer(*model, config, {train, {}, model == &guided ? &guides : nullptr});
    while (!trainer.done()) trainer.update();
  }
  const double followed = guided_fraction(guided, train, guides);
  EXPECT_GT(followed, 0.7);
  EXPECT_GT(followed, guided_fraction(free, train, guides) + 0.2);
}

TEST(Trainer, AHugeFiniteLossIsADivergence) {
  const data::ExampleStore train = reverse_task(64, 14);
  model::Model model(small_model("vanilla"));
  model.initialize(1);
  train::TrainingConfig config = quick();
  config.learning_rate = 1000;
  train::Trainer trainer(model, config, {train});
  trainer.update();
  EXPECT_GT(trainer.compute().loss, 20);
  EXPECT_TRUE(std::isfinite(trainer.compute().loss));
  EXPECT_TRUE(trainer.diverged());
}

}  // namespace
}  // namespace heed::testing
