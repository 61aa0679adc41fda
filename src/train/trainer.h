// The inner training loop: draws batches and updates the model. Reads no files and prints nothing. Not thread-safe.
//
//   while (!trainer.done()) trainer.update();
//
// An update depends only on the configuration, the examples and the state. The state can be saved between two updates
// and restored; the run then continues bit by bit. With several ranks, each has a trainer, and all make the same calls
// with the same results.
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
#include "train/rank_times.h"

namespace heed::train {

struct UpdateReport {
  std::int64_t update = 0;   // counted from 1
  std::int64_t updates = 0;  // of the whole run: see Trainer::updates()
  std::int64_t epoch = 0;    // counted from 0
  std::int64_t batch = 0;    // the update's first batch within the epoch, counted from 0
  double loss = 0;           // per target token
  double gradient_norm = 0;
  double rate = 0;
  std::int64_t target_tokens = 0, sentences = 0;
  std::optional<JobSpeed> job;  // on rank 0 of a run with several ranks
};

// "training diverged at update 812 (epoch 3, batch 12): loss 87.3, gradient norm inf"
std::string describe_divergence(const UpdateReport& report);

// The training data. With `resample`, every epoch has its own examples: variants of the same pairs in the same order,
// which depend only on the epoch.
struct TrainingExamples {
  const data::ExampleStore& examples;
  std::function<data::ExampleStore(std::int64_t epoch)> resample = {};
  const data::GuideStore* guides = nullptr;  // target attention per example; not with resample
  std::vector<float> weights = {};           // per example; empty: all are 1
};

// The cost of an epoch, extrapolated from a few batches.
struct CostEstimate {
  double epoch_seconds = 0;
  std::size_t bytes = 0;  // parameters, gradients, moments, averages, and the working memory of the largest batch
};

class Trainer {
 public:
  // The model must be initialized. The model, the examples and the communicator must outlive the trainer.
  Trainer(model::Model& model, const TrainingConfig& config, TrainingExamples train,
          Communicator& communicator = single_process());

  bool done() const;
  std::int64_t updates_per_epoch() const { return updates_per_epoch_; }  // of the first epoch
  std::int64_t updates() const { return total_; }  // of the whole run, if all epochs are as long as the first
  // One update. InputError if it diverged; the model is unchanged then.
  UpdateReport update();
  // The two halves of update(). Until apply(), the parameters and state() are those before the update.
  const UpdateReport& compute();
  void apply();
  // Whether the result of compute() must not be applied: NaN, infinite, or an implausibly large loss.
  bool diverged() const;
  bool epoch_ended() const { return sampler_->position().batch == 0; }
  // The model to validate and save: the moving average if there is one.
  const model::Model& result() const { return average_ ? *average_ : model_; }
  int workers() const { return parallel_.workers(); }  // of all ranks
  int threads() const { return parallel_.threads(); }  // of this rank
  // How long this rank's workers computed the last update, without waiting for other ranks.
  double compute_seconds() const { return parallel_.compute_seconds(); }
  std::uint64_t sent_bytes() const { return parallel_.sent_bytes(); }  // to other ranks so far
  ThreadPool& pool() { return parallel_.pool(); }
  Schedule& schedule() { return schedule_; }
  double rate() const { return config_.learning_rate * rate_factor_ * schedule_.factor(update_, total_); }
  void set_rate_factor(double factor) { rate_factor_ = factor; }  // multiplies every rate; below 1 after a divergence

  struct State {
    std::int64_t update = 0;       // done so far
    data::BatchPosition position;  // of the next batch
  };
  State state() const { return {update_, pending_.value_or(sampler_->position())}; }
  // The tensors that belong to the state: save them, or fill them before set_state().
  NamedTensors tensors() const;
  void set_state(const State& state);

  CostEstimate estimate_cost();  // computes a few batches; changes no state

 private:
  // One per thread, reused from update to update.
  struct Scratch {
    std::size_t next = 0;  // micro-batch
    std::vector<Ids> source, target;
    std::vector<Guides> guides;
  };
  void seek(const data::BatchPosition& position);
  double compute_micro_batch(Scratch& scratch, const MicroBatch& batch, autograd::Tape& tape, double weight);
  void update_average();

  model::Model& model_;
  TrainingConfig config_;
  TrainingExamples train_;
  data::ExampleStore resampled_;
  const data::ExampleStore* examples_;  // of the current epoch
  std::int64_t resampled_epoch_ = -1;
  std::optional<data::BatchSampler> sampler_;
  DataParallel parallel_;
  MicroBatchPlan plan_;  // of this update
  Optimizer optimizer_;
  Schedule schedule_;
  std::unique_ptr<model::Model> average_;
  double rate_factor_ = 1;
  std::vector<Scratch> scratch_;
  std::vector<double> losses_;  // of this update, per thread
  std::int64_t update_ = 0, updates_per_epoch_ = 1, total_ = 0;
  UpdateReport report_;
  std::optional<data::BatchPosition> pending_;  // start of an update that is computed but not yet applied
};

}  // namespace heed::train
