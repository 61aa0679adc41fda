// The training loop: batches in, a better model out. Prints nothing: an observer is told what happens.
#pragma once

#include <memory>
#include <vector>

#include "autograd/replicas.h"
#include "data/batches.h"
#include "decode/search.h"
#include "model/model.h"
#include "train/config.h"
#include "train/optimiser.h"

namespace heed {

struct UpdateReport {
  std::int64_t update = 0;   // counted from 1
  std::int64_t updates = 0;  // of the whole run
  std::int64_t epoch = 0;
  double loss = 0;  // a target token, of this batch
  double gradient_norm = 0;
  double rate = 0;
  std::int64_t target_tokens = 0, sentences = 0;
};

struct Validation {
  double perplexity = 0;
  double exact = 0;  // share of sentences translated word for word
  std::size_t sentences = 0;
};

class Trainer {
 public:
  // The model must be initialised; all must outlive the trainer.
  Trainer(Model& model, const TrainingConfig& config, const ExampleStore& train);

  bool done() const { return update_ >= total_; }
  // One update. InputError where the loss or gradient is no number any more: the model is left as it was.
  UpdateReport update();
  bool epoch_ended() const { return sampler_.position().batch == 0; }

  // Perplexity over all pairs; greedy translation of the first `translated`.
  Validation validate(const ExampleStore& valid, std::size_t translated);

 private:
  double rate() const;
  double compute(int worker, Tape& tape, std::span<const std::uint32_t> batch, double weight);

  Model& model_;
  TrainingConfig config_;
  const ExampleStore& train_;
  BatchSampler sampler_;
  BatchShards shards_;
  Replicas replicas_;
  Optimiser optimiser_;
  // One a worker, reused: the sentences of its share.
  struct Share {
    std::vector<Ids> source, target;
    std::vector<std::uint32_t> keys;
    double loss = 0;
  };
  std::vector<Share> shares_;
  std::int64_t update_ = 0, total_ = 0;
};

}  // namespace heed
