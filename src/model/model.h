// The composed model: every preset of heed is one of these with its own configuration. It reads and writes ids, not
// words. Constant during computation; safe to use from several threads, each with its own tape.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "autograd/ops/loss.h"
#include "kernels/project_rows.h"
#include "model/autograd.h"
#include "model/decoder.h"
#include "model/packing.h"
#include "model/shortlist.h"
#include "tensor/guide.h"

namespace heed::model {

// Sentences as ids, each ending in the end symbol.
struct BatchView {
  std::span<const Ids> source;
  std::span<const Ids> target;
  // Guided attention: the targets of each pair's attention weights, ordered by target word, end symbols included.
  // Empty: no guides.
  std::span<const Guides> guides = {};
};

struct BatchLossOptions {
  double smoothing = 0;
  // The gradient is that of this weight times the sum of the losses (1 / tokens of the whole batch for the mean loss).
  double weight = 1;
  const TrainRandom* random = nullptr;  // null: no dropout
  // The probability that a step reads the reference's previous word instead of the model's own; below 1 it needs
  // `random`. Decided once per step for the whole batch, or once per sentence.
  double teacher_forcing = 1;
  bool forcing_per_sentence = false;
  // An additional factor for the guides' losses.
  double guide_weight = 0;
};

// The losses of a batch, by packed row.
struct BatchLoss {
  Packing target;
  Tensor losses;          // [N,1]
  Var readouts;           // [N,R]
  Var weights;            // [N,S]; absent without attention, and while recording
  double loss = 0;        // the sum of the losses
  double guide_loss = 0;  // the sum over the guided rows; not part of `loss`
};

// Allocates the declared parameters and may fill them. It may throw if a file does not match the configuration, before
// any memory is allocated.
using ParameterSource = std::function<void(Parameters& declared)>;

class Model {
 public:
  // Declares the parameters and has `source` allocate them; by default they are zero. UsageError for an invalid
  // configuration.
  explicit Model(const ModelConfig& config, DType type = DType::f32,
                 const ParameterSource& source = &Parameters::allocate);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const { return *config_; }
  const Parameters& parameters() const { return *parameters_; }
  const Decoder& decoder() const { return *decoder_; }

  // Sets random initial parameters, as configured; they depend only on the seed.
  void initialize(std::uint64_t seed);

  // UsageError if the attention cannot read a source of this many tokens, end symbol included.
  void check_source(std::size_t tokens) const;
  // UsageError as check_source(); ShapeError for ids out of range or empty sentences.
  Encoded encode(Tape& tape, std::span<const Ids> sources, const TrainRandom* random = nullptr) const;
  Var embed_target(Tape& tape, Ids words) const { return embedding(tape, target_embedding_, words); }
  // readouts:[n,R] -> [n,V]
  Var logits(Tape& tape, Var readouts) const { return output_(tape, readouts); }
  // The logits of some words only, for groups of rows: see kernels/project_rows.h.
  void logits(Tape& tape, std::span<kernels::WordGroup> groups) const {
    kernels::project_groups(groups, output_.weights(tape).value, output_.biases(tape).value);
  }

  // The candidates for vocabulary selection; null if the model has none. The search decides whether to use them.
  const Shortlist* shortlist() const { return shortlist_ ? &*shortlist_ : nullptr; }
  // UsageError unless it is for as many source words as the model has.
  void set_shortlist(std::optional<Shortlist> shortlist);

  // The losses of a batch of pairs. On a recording tape, this adds the gradients of the output layer; backward() adds
  // the others.
  BatchLoss loss(Tape& tape, const BatchView& batch, const BatchLossOptions& options) const;
  // The most probable word at each packed row of a batch that loss() has just computed.
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
  std::optional<Shortlist> shortlist_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace heed::model
