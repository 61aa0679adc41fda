// Guided alignment: the trainer passes the guides of each example to the model.
#include <gtest/gtest.h>

#include "data/guides.h"
#include "model/presets.h"
#include "train/trainer.h"

namespace heed {
namespace {

constexpr std::size_t kPairs = 64;

// Three-word sentences that are copied; the guides ask each word to attend to the one at the opposite position.
struct Corpus {
  data::ExampleStore examples;
  data::GuideStore guides;

  Corpus() {
    data::ExampleWriter writer;
    for (std::size_t i = 0; i < kPairs; ++i) {
      std::vector<text::TokenId> words;
      for (std::size_t k = 0; k < 3; ++k) words.push_back(static_cast<text::TokenId>(3 + (i * (k + 1) + k) % 9));
      words.push_back(1);
      writer.add(words, words);
      guides.add(std::vector<Guide>{{0, 2, 1}, {1, 1, 1}, {2, 0, 1}});
    }
    examples = writer.finish();
  }
};

// The guide loss per guided word after training.
double guide_loss(const Corpus& corpus, bool guided) {
  model::ModelConfig config = model::preset_config("bahdanau-lstm");
  config.encoder.hidden = config.decoder.hidden = 16;
  config.dropout = {};
  config.vocabulary = {.source = 12, .target = 12, .sos = 0, .eos = 1, .unk = 2};
  model::Model model(config);
  model.initialize(1);
  train::TrainingConfig training;
  training.learning_rate = 0.02;
  training.batch = 16;
  training.epochs = 20;
  training.threads = 2;
  training.guided_weight = 1;
  train::Trainer trainer(model, training, {.examples = corpus.examples, .guides = guided ? &corpus.guides : nullptr});
  while (!trainer.done()) trainer.update();

  std::vector<Ids> source, target;
  std::vector<Guides> guides;
  for (std::size_t i = 0; i < kPairs; ++i) {
    source.push_back(corpus.examples.source(i));
    target.push_back(corpus.examples.target(i));
    guides.push_back(corpus.guides[i]);
  }
  autograd::Tape tape(model.parameters(), nullptr);
  tape.clear(autograd::Tape::Mode::forward_only);
  return model.loss(tape, {source, target, guides}, {}).guide_loss / (3 * kPairs);
}

TEST(GuidedTraining, AttentionFollowsTheGuides) {
  const Corpus corpus;
  EXPECT_LT(guide_loss(corpus, true), 0.2);
  // Without guides it does not.
  EXPECT_GT(guide_loss(corpus, false), 0.5);
}

}  // namespace
}  // namespace heed
