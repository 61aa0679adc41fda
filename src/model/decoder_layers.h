// The layers of a decoder step: the input of the cells, the cells, and the readout. Each has constant parameters and a
// run, which holds the rows of all steps of a batch. n rows of a step, N rows of all steps, E embedding, Hd hidden, R
// readout.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/autograd.h"
#include "model/dropout.h"
#include "model/linear_layer.h"
#include "model/recurrent.h"

namespace heed::model {

// Parts side by side, [embedding; context; …], and the columns of each.
struct Concatenation {
  struct Columns {
    Part part;
    Index begin, size;
  };
  std::vector<Columns> parts;
  Index width = 0;

  Concatenation(const ModelConfig& config, const std::vector<Part>& order);
};

// x = [embedding; context; feed], in the order of decoder.input; W x + b with an input layer; relu of that if
// configured.
struct InputLayer {
  Concatenation parts;
  LinearLayer layer;  // [Hd, parts]; may be absent
  bool relu = false;
  Index width = 0;  // of the first cell's input

  InputLayer(const ModelConfig& config, Parameters& parameters);
};

class InputRun {
 public:
  // embeddings:[N,E] if all words are known in advance, else absent. Each part is multiplied by its columns of the
  // weight, and the products are summed: in the input layer, or without one in the gates of the first cell.
  InputRun(Tape& tape, const InputLayer& input, const CellParameters& first, Index rows, Var embeddings);

  // W_ih x + b_ih of the first cell, [N,gates*Hd]; absent with an input layer.
  Var first_gates() const { return input_.layer.weight ? Var{} : sums_; }
  // Adds the parts of a step. Returns the output of the input layer, or without one the gates of the first cell, [n,*].
  Var step(Index row, Var embedding, Var context, Var feed);

 private:
  Var activated(Var part) const { return input_.relu && !input_.layer.weight ? relu(tape_, part) : part; }

  Tape& tape_;
  const InputLayer& input_;
  Var sums_;
  std::array<std::optional<autograd::StepLinear>, 3> products_;  // one per part; absent for embeddings known in advance
};

// h' = cell(W_ih x + b_ih, W_hh h + b_hh), layer by layer.
class CellStackRun {
 public:
  // first_gates:[N,gates*Hd] of the first cell if they come from InputRun, else absent.
  CellStackRun(Tape& tape, const std::vector<CellParameters>& cells, Var first_gates, Index rows,
               const BatchDropout& dropout);

  using States = std::array<CellState, kMaxLayers>;
  void step(Index row, Var x, const States& before, States& after);

 private:
  Tape& tape_;
  const std::vector<CellParameters>& cells_;
  BatchDropout dropout_;
  std::array<Var, kMaxLayers> gx_;     // [N,gates*Hd]
  std::array<Var, kMaxLayers> masks_;  // [B,Hd], absent without recurrent dropout
  std::array<std::optional<autograd::StepLinear>, kMaxLayers> from_input_, from_state_;
};

// r = [state; context; embedding], in the order of readout.parts; tanh(W r + b) with readout.tanh.
struct ReadoutLayer {
  Concatenation parts;
  LinearLayer layer;                // [R, parts]; absent without readout.tanh
  bool uses_input_feeding = false;  // the next step reads the readout

  ReadoutLayer(const ModelConfig& config, Parameters& parameters);
};

class ReadoutRun {
 public:
  // embeddings as for InputRun.
  ReadoutRun(Tape& tape, const ReadoutLayer& readout, Index rows, Var embeddings);

  // Sets the rows of a part, from `row` on; does nothing if the readout has no such part.
  void put(Part part, Index row, Var value);
  // r of a step whose parts are set, [n,R], if the next step reads it; else absent.
  Var feed_for(Index row, Index n);
  // The same, always present and without gradient.
  Tensor now(Index row, Index n) const;
  // r of all steps, [N,R].
  Var all() const;

 private:
  Tape& tape_;
  const ReadoutLayer& readout_;
  Var parts_;                                 // [N, parts]
  std::optional<autograd::StepLinear> step_;  // the tanh layer, if the next step reads its output
  Var fed_;                                   // [N,R] its outputs
};

}  // namespace heed::model
