// The composed model: every system of heed is one of these with another configuration. Speaks ids, never words.
// Constant while anything is computed with it; safe to use from several threads, each with its own tape.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "autograd/ops/loss.h"
#include "model/autograd.h"
#include "model/decoder.h"
#include "model/packing.h"
#include "tensor/guide.h"

namespace heed::model {

// Sentences as ids, each ending in the end symbol.
struct BatchView {
  std::span<const Ids> source;
  std::span<const Ids> target;
  // What each pair's attention should be, by target word then source word, end symbols included; empty: anything.
  std::span<const Guides> guides = {};
};

struct BatchLossOptions {
  double smoothing = 0;
  // What the gradient is of: this weight times the sum of the losses (1 / tokens of the whole batch for a mean).
  double weight = 1;
  const TrainRandom* random = nullptr;
  // The probability that a step reads the reference's word before it and not the model's own; below 1 it needs
  // `random`. One coin per step for the whole batch, or one per sentence.
  double teacher_forcing = 1;
  bool forcing_per_sentence = false;
  // What the batch's guides count against the words: their losses are weighted by this as well.
  double guide_weight = 0;
};

// The losses of a batch by packed row.
struct BatchLoss {
  Packing target;         // rows by step; target.order tells whose they are
  Tensor losses;          // [N,1]
  Var readouts;           // [N,R]
  Var weights;            // [N,S] by packed row; absent without attention, and while recording
  double loss = 0;        // their sum
  double guide_loss = 0;  // the sum over the guided rows; no part of `loss`
};

// Gets the memory of declared parameters, with or without their values. It may throw if a file does not match the
// configuration, before any memory is allocated.
using ParameterSource = std::function<void(Parameters& declared)>;

class Model {
 public:
  // Declares the parameters and allocates them, all zero, unless `source` does otherwise. UsageError if the settings do
  // not go together.
  explicit Model(const ModelConfig& config, DType type = DType::f32,
                 const ParameterSource& source = &Parameters::allocate);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const { return *config_; }
  const Parameters& parameters() const { return *parameters_; }
  const Decoder& decoder() const { return *decoder_; }

  // Random start, as the configuration says; a function of the seed alone.
  void initialize(std::uint64_t seed);

  // UsageError for a source of so many tokens, the end symbol included, that the attention cannot read.
  void check_source(std::size_t tokens) const;
  // The same for each source; ShapeError for ids out of range or empty sentences.
  Encoded encode(Tape& tape, std::span<const Ids> sources, const TrainRandom* random = nullptr) const;
  Var embed_target(Tape& tape, Ids words) const { return embedding(tape, target_embedding_, words); }
  // x:[n,R] -> the logits of every word, [n,V]
  Var logits(Tape& tape, Var readouts) const { return output_(tape, readouts); }

  // The losses of a batch of pairs. On a tape that records, the gradients of the output layer are there when this
  // returns, the rest after backward().
  BatchLoss loss(Tape& tape, const BatchView& batch, const BatchLossOptions& options) const;
  // The word that the model finds likeliest at each packed row of a batch that loss() has just computed.
  Ids predictions(Tape& tape, const BatchLoss& loss) const { return predictions(tape, loss.readouts.value); }

 private:
  class NextInput;
  Ids predictions(Tape& tape, Tensor readouts) const {
    return predict(tape, readouts, output_.weights(tape), output_.biases(tape));
  }

  std::unique_ptr<const ModelConfig> config_;  // at a fixed address: the parts refer to it
  std::unique_ptr<Parameters> parameters_;
  ParameterId source_embedding_, target_embedding_;
  LinearLayer output_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace heed::model
