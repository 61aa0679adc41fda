// The decoder. One step (Bahdanau et al. 2015), from the previous word y, states h and readout r:
//
//   c  = Σ_s softmax_s(score(h, e_s)) e_s       attention over the encoder's states e (model/attention.h)
//   x  = [emb(y); c; r]                         decoder.input; r is input feeding (Luong et al. 2015)
//   h' = cell(W_ih x + b_ih, W_hh h + b_hh)     layer by layer
//   r' = tanh(W_r [h'; c; emb(y)] + b_r)        readout.parts; without readout.tanh just the parts
//   p(next word) = softmax(W_o r' + b_o)        the model's output layer
//
// If attention.position is after, c is computed from h' instead and is not part of x. The bridge computes the first h.
// The same DecoderRun serves training (all words known in advance) and translation (one step at a time). n rows of a
// step, N rows of all steps, E embedding, Hd hidden, R readout.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "model/attention.h"
#include "model/autograd.h"
#include "model/decoder_layers.h"

namespace heed::model {

// The state between two steps: a value, [n,*] each.
struct DecoderState {
  CellStackRun::States cells;
  Var feed;  // the previous readout, if the decoder reads it

  DecoderState slice_rows(Index from, Index count) const;
  DecoderState gather_rows(Tape& tape, Ids rows) const;
};

// Changes the attention weights of a row before the context is computed from them, for experiments with a trained
// model.
using EditWeights = std::function<void(std::span<float> weights)>;

enum class StatePart : std::uint8_t { hidden, cell };  // h or c of CellState

class Decoder {
 public:
  Decoder(const ModelConfig& config, Parameters& parameters);

  Index max_source_length() const { return attention_ ? attention_->max_length() : 0; }
  // SourceStates::keys, computed once per sentence.
  Var keys(Tape& tape, Var states) const { return attention_ ? attention_->keys(tape, states) : Var{}; }
  // The first state, with one row per sentence in the caller's order.
  DecoderState start(Tape& tape, const Encoded& encoded) const;

 private:
  friend class DecoderRun;
  Var bridged(Tape& tape, const Encoded& encoded, StatePart part) const;

  const ModelConfig& config_;
  LinearLayer bridge_, bridge_cell_;  // if decoder.bridge is tanh-linear
  std::unique_ptr<Attention> attention_;
  InputLayer input_;
  std::vector<CellParameters> cells_;
  ReadoutLayer readout_;
};

class DecoderRun {
 public:
  // For `rows` rows in all. `embeddings`:[N,E] if all words are known in advance; absent if they come step by step.
  DecoderRun(Tape& tape, const Decoder& decoder, const Encoded& encoded, Index rows, Var embeddings,
             const BatchDropout& dropout = {});

  struct Step {
    DecoderState after;
    Var weights;    // [n,S], absent without attention
    Var context;    // [n,De], absent without attention
    Tensor scores;  // [n,S] before the softmax; absent without attention, and while recording
  };
  // Rows [row, row + n): embedding:[n,E] of the previous words, the state before, and the sentences they belong to.
  Step step(Index row, Var embedding, const DecoderState& before, const SourceRows& rows);
  // For the next steps, without gradient; null: no change.
  void set_edit(const EditWeights* edit) { edit_ = edit; }

  // The input of the output layer, [N,R], after the last step.
  Var readouts();
  // The same for rows whose step is done, without dropout or gradient: for scheduled sampling.
  Tensor readout_now(Index row, Index n) const { return readout_.now(row, n); }

 private:
  autograd::AttentionOutput attend(Index row, Var state, Var embedding, const SourceRows& rows);

  Tape& tape_;
  const ModelConfig& config_;
  const EditWeights* edit_ = nullptr;
  Var source_states_;  // [N,De]
  BatchDropout dropout_;
  bool embeddings_known_;
  AttentionRun* attention_;
  InputRun input_;
  CellStackRun cells_;
  ReadoutRun readout_;
};

}  // namespace heed::model
