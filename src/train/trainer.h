// The training loop's inner part: batches in, a better model out. Knows no files and prints nothing.
//
//   while (!trainer.done()) trainer.update();
//
// What an update does is a function of the configuration, the examples and the state; the state can be saved between
// two updates and restored, and the run continues to the same bits. With several ranks, each has a trainer, and all
// make the same calls with the same results.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/batches.h"
#include "data/guides.h"
#include "model/model.h"
#include "train/config.h"
#include "train/data_parallel.h"
#include "train/micro_batches.h"
#include "train/optimizer.h"

namespace heed::train {

struct UpdateReport {
  std::int64_t update = 0;   // counted from 1
  std::int64_t updates = 0;  // of the whole run, as far as that is known
  std::int64_t epoch = 0;    // counted from 0
  std::int64_t batch = 0;    // of the epoch, counted from 0: the first one of the update
  double loss = 0;           // per target token, of this update
  double gradient_norm = 0;
  double rate = 0;
  std::int64_t target_tokens = 0, sentences = 0;
};

// What a trainer learns from. With `resample`, every epoch has examples of its own: the same pairs in the same order
// with other segmentations, as a function of the epoch alone.
struct TrainingExamples {
  const data::ExampleStore& examples;
  std::function<data::ExampleStore(std::int64_t epoch)> resample = {};
  const data::GuideStore* guides = nullptr;  // what attention should be, by example; not with resample
};

// What an epoch will cost, found by computing some of its batches.
struct CostEstimate {
  double epoch_seconds = 0;
  std::size_t bytes = 0;  // parameters, gradients, moments, averages, and the work space of the largest batch
};

class Trainer {
 public:
  // The model must be initialized; all must outlive the trainer.
  Trainer(model::Model& model, const TrainingConfig& config, TrainingExamples train,
          Communicator& communicator = single_process());

  bool done() const;
  std::int64_t updates() const { return total_; }  // of the whole run, if all epochs are as long as the first
  // One update. InputError if it diverged: the model is left as it was.
  UpdateReport update();
  // The two halves of an update. Between them the parameters and state() are still those before it.
  const UpdateReport& compute();
  void apply();
  // Whether what compute() found must not be applied: NaN, infinite, or an implausibly large loss.
  bool diverged() const;
  bool epoch_ended() const { return sampler_->position().batch == 0; }
  // What the run is worth: the moving average of the parameters if there is one, else the parameters.
  const model::Model& result() const { return average_ ? *average_ : model_; }
  int workers() const { return parallel_.workers(); }  // of all ranks
  ThreadPool& pool() { return parallel_.pool(); }
  Schedule& schedule() { return schedule_; }
  double rate() const;
  void set_rate_factor(double factor) { rate_factor_ = factor; }  // of every rate: below 1 after a run diverged

  struct State {
    std::int64_t update = 0;       // done so far
    data::BatchPosition position;  // of the next batch
  };
  State state() const { return {update_, pending_.value_or(sampler_->position())}; }
  // The numbers that go with it, one long row each, by name: to be written, or to be filled before set_state().
  std::vector<std::pair<std::string, Tensor>> tensors() const;
  void set_state(const State& state);

  CostEstimate estimate_cost();  // computes a few batches and forgets them

 private:
  // One per thread, reused: its progress in the update, and the sentences of the micro-batch.
  struct Scratch {
    std::size_t next = 0;
    std::vector<Ids> source, target;
    std::vector<Guides> guides;
  };
  void begin_epoch(std::int64_t epoch);
  void draw_batches();
  double compute_micro_batch(Scratch& scratch, const MicroBatch& batch, autograd::Tape& tape, double weight);
  void update_average();

  model::Model& model_;
  TrainingConfig config_;
  TrainingExamples train_;
  data::ExampleStore resampled_;
  const data::ExampleStore* examples_;  // of this epoch
  std::int64_t examples_epoch_ = -1;
  std::optional<data::BatchSampler> sampler_;
  DataParallel parallel_;
  MicroBatchPlan plan_;  // of this update
  Optimizer optimizer_;
  Schedule schedule_;
  std::unique_ptr<model::Model> average_;
  double rate_factor_ = 1;
  std::vector<Scratch> scratch_;
  std::vector<double> losses_;  // of this update, per thread
  std::int64_t update_ = 0, total_ = 0;
  UpdateReport report_;
  std::optional<data::BatchPosition> pending_;  // where the update that was computed and not yet applied began
};

}  // namespace heed::train
