// The layers of a decoder step: what the cells read, the cells, and what the output layer reads. Each has its
// parameters (constant) and a run, which holds the rows of all steps of a batch. n rows of a step, N rows of all steps,
// E embedding, Hd hidden, R readout.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "model/autograd.h"
#include "model/dropout.h"
#include "model/linear_layer.h"
#include "model/recurrent.h"

namespace heed::model {

// Parts side by side, [embedding; context; …], and the columns that each has.
struct Concatenation {
  struct Columns {
    Part part;
    Index begin, size;
  };
  std::vector<Columns> parts;
  Index width = 0;

  Concatenation(const ModelConfig& config, const std::vector<Part>& order);
};

// x = [embedding; context; feed], in the order of decoder.input; W x + b with an input layer; relu(x) if asked for.
struct InputLayer {
  Concatenation parts;
  LinearLayer layer;  // [Hd, parts]; absent: the first cell reads the parts
  bool relu = false;
  Index width = 0;  // of what the first cell reads

  InputLayer(const ModelConfig& config, Parameters& parameters);
};

class InputRun {
 public:
  // embeddings:[N,E] if all words are known beforehand, else absent. The parts are multiplied one by one and added up,
  // in the input layer or straight in the gates of the first cell.
  InputRun(Tape& tape, const InputLayer& input, const CellParameters& first, Index rows, Var embeddings);

  // W_ih x + b_ih of the first cell, [N,gates*Hd]; absent with an input layer.
  Var first_gates() const { return input_.layer.weight ? Var{} : sums_; }
  // What the first cell reads, [n,*]; with first_gates() the gates are complete.
  Var step(Index row, Var embedding, Var context, Var feed);

 private:
  Var activated(Var part) const { return input_.relu && !input_.layer.weight ? relu(tape_, part) : part; }

  Tape& tape_;
  const InputLayer& input_;
  Var sums_;
  std::array<std::optional<autograd::StepLinear>, 3> products_;  // one per part; absent for embeddings known beforehand
};

// h' = cell(W_ih x + b_ih, W_hh h + b_hh), layer upon layer.
class CellStackRun {
 public:
  // row_keys:[N] for dropout; the first `sentences` rows are every sentence's first step.
  CellStackRun(Tape& tape, const ModelConfig& config, const std::vector<CellParameters>& cells, Var first_gates,
               Index rows, std::size_t sentences, const TrainRandom* random, std::span<const std::uint32_t> row_keys);

  using States = std::array<CellState, kMaxLayers>;
  void step(Index row, Var x, const States& before, States& after);

 private:
  Tape& tape_;
  const ModelConfig& config_;
  const std::vector<CellParameters>& cells_;
  const TrainRandom* random_;
  std::span<const std::uint32_t> row_keys_;
  std::array<Var, kMaxLayers> gx_, gh_;  // [N,gates*Hd]
  std::array<Var, kMaxLayers> masks_;    // [sentences,Hd], absent without recurrent dropout
  std::array<std::optional<autograd::StepLinear>, kMaxLayers> from_input_, from_state_;
};

// r = [state; context; embedding], in the order of readout.parts; tanh(W r + b) with readout.tanh.
struct ReadoutLayer {
  Concatenation parts;
  LinearLayer layer;   // [R, parts]; absent without readout.tanh
  bool feeds = false;  // the next step reads it

  ReadoutLayer(const ModelConfig& config, Parameters& parameters);
};

class ReadoutRun {
 public:
  // embeddings as of InputRun.
  ReadoutRun(Tape& tape, const ReadoutLayer& readout, Index rows, Var embeddings);

  // The rows of a part, from `row` on; nothing happens if the readout has no such part.
  void put(Part part, Index row, Var value);
  // r of a step whose parts are there, [n,R], if the next step reads it; else absent.
  Var feed(Index row, Index n);
  // r of such a step, without gradient.
  Tensor now(Index row, Index n) const;
  // r of all steps, [N,R].
  Var all() const;

 private:
  Tape& tape_;
  const ReadoutLayer& readout_;
  Var parts_;                                 // [N, parts]
  std::optional<autograd::StepLinear> step_;  // the tanh layer step by step, if the next step reads it
  Var fed_;                                   // [N,R], likewise
};

}  // namespace heed::model
