// The composed model: every system of heed is one of these with another configuration. Speaks ids, never words.
// Constant while anything is computed with it; safe to use from several threads, each with its own tape.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "autograd/ops/loss.h"
#include "model/decoder.h"

namespace heed {

// Sentences as ids, each ending in the end symbol.
struct BatchView {
  std::span<const Ids> source;
  std::span<const Ids> target;
  // What each pair's attention should be, by target word then source word, end symbols included; empty: anything.
  std::span<const Guides> guides = {};
};

struct ForcedOptions {
  double smoothing = 0;
  // What the gradient is of: this weight times the sum of the losses (1 / tokens of the whole batch for a mean).
  double weight = 1;
  const Noise* noise = nullptr;
  // The chance that a step reads the reference's word before it and not the model's own; needs noise where below 1.
  // One coin a step for the whole batch, or one a sentence.
  double teacher_forcing = 1;
  bool coin_a_sentence = false;
  // What the batch's guides count against the words: their losses are weighted by this as well.
  double guide_weight = 0;
};

// A batch with its losses by packed row.
struct Forced {
  Packing target;         // rows by step; target.order tells whose they are
  Tensor losses;          // [N,1]
  Var readouts;           // [N,R]
  Var weights;            // [N,S] by packed row, absent without attention
  double loss = 0;        // their sum
  double guide_loss = 0;  // the sum over the guided rows; no part of `loss`
};

class GuideRun;

class Model {
 public:
  // Declares the parameters and allocates them, all zero, unless `place` says where their values are: a place also to
  // refuse a configuration that a file does not bear out, before any memory is asked for. UsageError where the settings
  // do not go together.
  using Place = std::function<void(Parameters& declared)>;
  explicit Model(const ModelConfig& config, DType type = DType::f32, const Place& place = &Parameters::allocate);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelConfig& config() const { return *config_; }
  const Parameters& parameters() const { return *parameters_; }
  const Decoder& decoder() const { return *decoder_; }

  // Random start, as the configuration says; a function of the seed alone.
  void initialise(std::uint64_t seed);

  // UsageError for a source that the attention cannot read, ShapeError for ids out of range or empty sentences.
  Encoded encode(Tape& tape, std::span<const Ids> sources, const Noise* noise = nullptr) const;
  Var embed_target(Tape& tape, Ids words) const { return embedding(tape, target_embedding_, words); }
  // x:[n,R] -> the logits of every word, [n,V]
  Var logits(Tape& tape, Var readouts) const;

  // The losses of a batch of pairs. On a tape that records, the gradients of the output layer are there when this
  // returns, the rest after backward().
  Forced forced(Tape& tape, const BatchView& batch, const ForcedOptions& options) const;
  // The word that the model finds likeliest at each packed row of a batch that forced() has just computed.
  Ids likeliest(Tape& tape, const Forced& forced) const;

 private:
  Ids inputs_from_reference(Arena& arena, const Packing& packing, Ids labels) const;
  void run_sampled(Tape& tape, DecoderRun& run, DecoderState state, const SourceRows& rows, const Packing& packing,
                   Ids reference, const ForcedOptions& options, std::span<const std::uint32_t> keys,
                   GuideRun& guides) const;

  std::unique_ptr<const ModelConfig> config_;  // at a fixed address: the parts refer to it
  std::unique_ptr<Parameters> parameters_;
  ParameterId source_embedding_, target_embedding_, output_, output_bias_;
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace heed
