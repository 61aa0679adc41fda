// The decoder: bridge, cell, attention before or after it, readout. One DecoderRun serves training (the rows of all
// steps known beforehand) and translating (one step at a time): the same code computes both. n rows of a step, N rows
// of all steps, E embedding, Hd hidden, R readout.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "model/encoder.h"

namespace heed {

// What is carried from step to step: a value, [n,*] each.
struct DecoderState {
  std::array<CellState, kMaxLayers> cells;
  Var feed;  // the last readout, where the decoder reads it

  DecoderState slice_rows(Index from, Index count, int layers) const;
  DecoderState gather_rows(Tape& tape, Ids rows, int layers) const;
};

class Decoder {
 public:
  Decoder(const ModelConfig& config, Parameters& parameters);

  int layers() const { return config_.decoder.layers; }
  bool has_weights() const { return attention_ && attention_->has_weights(); }
  Index max_source_length() const { return attention_ ? attention_->max_length() : 0; }
  // What the attention compares with, once a sentence.
  Var keys(Tape& tape, Var states) const { return attention_ ? attention_->keys(tape, states) : Var{}; }
  // The first state, for the sentences in the given order.
  DecoderState start(Tape& tape, const Encoded& encoded) const;

 private:
  friend class DecoderRun;
  struct Part {
    std::string name;
    Index column, size;  // its columns in the matrix that reads it
  };
  static std::vector<Part> layout(const ModelConfig& config, const std::vector<std::string>& names);
  Var bridged(Tape& tape, const Encoded& encoded, bool memory) const;

  const ModelConfig& config_;
  std::unique_ptr<Attention> attention_;
  std::vector<CellParameters> cells_;
  std::vector<Part> input_, readout_;
  ParameterId bridge_, bridge_bias_, bridge_cell_, bridge_cell_bias_;
  ParameterId input_weight_, input_bias_, readout_weight_, readout_bias_;
};

class DecoderRun {
 public:
  // For `rows` rows in all. `embeddings`:[N,E] where all words are known beforehand; absent, they come step by step.
  DecoderRun(Tape& tape, const Decoder& decoder, const Encoded& encoded, Index rows, Var embeddings, const Noise* noise,
             std::span<const std::uint32_t> keys);

  struct Step {
    DecoderState after;
    Var weights;    // [n,S], absent without attention
    Var context;    // [n,De], absent without attention
    Tensor scores;  // [n,S] before the softmax; absent without attention, and while recording
  };
  // Rows [row, row + n): embedding:[n,E] of the last words, the state before, and whose rows they are.
  Step step(Index row, Var embedding, const DecoderState& before, const SourceRows& rows);

  // What the output layer reads, [N,R], once every row has had its step.
  Var readouts();
  // The same for rows whose step is done, without dropout or gradient: for choosing the next word while training.
  Tensor readout_now(Index row, Index n);

 private:
  Var activated(Var x) const;
  void read_part(const std::string& name, Index row, Var value);
  Var layer_dropout(Var x, int layer, Index row);

  Tape& tape_;
  const Decoder& decoder_;
  const ModelConfig& config_;
  const Noise* noise_;
  std::span<const std::uint32_t> keys_;
  bool embeddings_known_;
  Index rows_;
  AttentionRun* attention_ = nullptr;
  Var before_layer_;  // what the parts of the input are added up in: the gates, or the input layer
  std::array<std::optional<StepLinear>, 3> input_;  // a part each
  std::optional<StepLinear> from_layer_;            // from the input layer to the gates
  std::array<Var, kMaxLayers> gx_, gh_;
  std::array<Var, kMaxLayers> state_masks_;  // [sentences,Hd], absent without recurrent dropout
  std::array<std::optional<StepLinear>, kMaxLayers> from_input_, from_state_;
  Var readout_;  // [N, the parts' sizes]
  std::optional<StepLinear> feed_;
  Var fed_;  // [N,R] the tanh layer of every step, where the decoder reads it back
};

}  // namespace heed
