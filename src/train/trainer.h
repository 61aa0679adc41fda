// The training loop's inner part: batches in, a better model out. Knows no files and prints nothing.
//
//   while (!trainer.done()) trainer.update();
//
// What an update does is a function of the configuration, the examples and the state; the state can be saved between
// two updates and restored, and the run goes on to the same bits.
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
#include "train/optimiser.h"
#include "train/replicas.h"

namespace heed {

struct UpdateReport {
  std::int64_t update = 0;   // counted from 1
  std::int64_t updates = 0;  // of the whole run, as far as that is known
  std::int64_t epoch = 0;    // counted from 0
  std::int64_t batch = 0;    // of the epoch, counted from 0: the first one of the update
  double loss = 0;           // a target token, of this update
  double gradient_norm = 0;
  double rate = 0;
  std::int64_t target_tokens = 0, sentences = 0;
};

// What a trainer learns from. With `resample`, every epoch has examples of its own: the same pairs in the same order
// with other segmentations, as a function of the epoch alone.
struct TrainingExamples {
  const ExampleStore& examples;
  std::function<ExampleStore(std::int64_t epoch)> resample = {};
  const GuideStore* guides = nullptr;  // what attention should be, by example; not with resample
};

// What an epoch will cost, found by computing some of its batches.
struct Rehearsal {
  double epoch_seconds = 0;
  std::size_t bytes = 0;  // parameters, gradients, moments, averages, and the work space of the largest batch
};

class Trainer {
 public:
  // The model must be initialised; all must outlive the trainer.
  Trainer(Model& model, const TrainingConfig& config, TrainingExamples train);

  bool done() const;
  // Of the whole run; where epochs are cut by tokens or drawn anew, as the first one was.
  std::int64_t updates() const { return total_; }
  // One update. InputError where it went astray: the model is left as it was.
  UpdateReport update();

  // The two halves of an update. Between them the parameters, and state(), are still those before it.
  const UpdateReport& compute();
  void apply();
  // Whether what compute() found is not fit to be applied: no number any more, or a loss beyond all measure.
  bool astray() const;

  bool epoch_ended() const { return sampler_->position().batch == 0; }
  // What the run is worth: the moving average of the parameters where there is one, else the parameters.
  const Model& result() const { return average_ ? *average_ : model_; }
  Model& result() { return average_ ? *average_ : model_; }
  ThreadPool& pool() { return replicas_.pool(); }
  Schedule& schedule() { return schedule_; }
  const Schedule& schedule() const { return schedule_; }
  // Every rate is multiplied by this: below 1 after a run went astray.
  void set_rate_factor(double factor) { rate_factor_ = factor; }
  double rate() const;

  struct State {
    std::int64_t update = 0;  // done so far
    BatchPosition position;   // of the next batch
  };
  State state() const { return {update_, pending_ ? pending_->from : sampler_->position()}; }
  // The numbers that go with it, one long row each, by name: to be written, or to be filled before set_state().
  std::vector<std::pair<std::string, Tensor>> tensors() const;
  void set_state(const State& state);

  // Computes a few batches and forgets them.
  Rehearsal rehearse();

 private:
  struct Pending {
    UpdateReport report;
    BatchPosition from;
  };
  // Sentences that a worker computes at a time: places in a batch of the update.
  struct Piece {
    std::size_t batch = 0;
    std::span<const std::uint32_t> places;
  };
  // One a worker, reused: its part of the update, and the sentences of the piece it is at.
  struct Share {
    std::vector<Piece> pieces;
    std::size_t next = 0;
    double loss = 0;
    std::vector<Ids> source, target;
    std::vector<Guides> guides;
    std::vector<std::uint32_t> keys;
  };
  void begin_epoch(std::int64_t epoch);
  void draw_batches();
  void cut_pieces(int worker);
  void compute_gradients();
  double compute_piece(Share& share, const Piece& piece, Tape& tape, double weight);
  void update_average();

  Model& model_;
  TrainingConfig config_;
  TrainingExamples train_;
  ExampleStore resampled_;
  const ExampleStore* examples_;  // of this epoch
  std::int64_t examples_epoch_ = -1;
  std::optional<BatchSampler> sampler_;
  Replicas replicas_;
  Optimiser optimiser_;
  Schedule schedule_;
  std::unique_ptr<Model> average_;
  double rate_factor_ = 1;
  std::vector<Share> shares_;
  std::vector<std::vector<std::uint32_t>> batches_;  // of this update
  std::vector<BatchShards> shards_;                  // of each batch
  std::size_t batch_count_ = 0;
  std::optional<Pending> pending_;  // computed and not yet applied
  std::int64_t update_ = 0, total_ = 0;
};

}  // namespace heed
