// A small language model and sentences for it, for tests of tapes and gradients.
#pragma once

#include <span>
#include <vector>

#include "autograd/ops/cell.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear.h"
#include "autograd/ops/loss.h"
#include "support/op_cases.h"

namespace heed::testing {

inline constexpr Index kVocabulary = 40, kEmbedding = 12, kHidden = 20;

// Embedding, GRU, output loss.
struct LanguageModel {
  // `unused`: the size of a parameter that no operation uses; 0: none.
  explicit LanguageModel(DType type = DType::f32, Index unused = 0) : parameters(type) {
    table = parameters.add("table", {kVocabulary, kEmbedding}, {}, true);
    w_ih = parameters.add("w_ih", {3 * kHidden, kEmbedding});
    w_hh = parameters.add("w_hh", {3 * kHidden, kHidden});
    bias = parameters.add("bias", {3 * kHidden});
    if (unused > 0) parameters.add("unused", {unused});
    out = parameters.add("out", {kVocabulary, kHidden});
    parameters.allocate();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      randomize(parameters[i].value, static_cast<std::uint32_t>(i), 0.4);
  }

  // The sum of the losses of predicting each next word; all sentences have the same length.
  double compute(autograd::Tape& tape, std::span<const std::vector<Id>> sentences, double weight) const {
    const Index rows = static_cast<Index>(sentences.size()), steps = static_cast<Index>(sentences[0].size()) - 1;
    const auto inputs = tape.arena().array<Id>(static_cast<std::size_t>(rows * steps));
    const auto labels = tape.arena().array<Id>(static_cast<std::size_t>(rows * steps));
    for (Index t = 0; t < steps; ++t) {
      for (Index b = 0; b < rows; ++b) {
        inputs[static_cast<std::size_t>(t * rows + b)] =
            sentences[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
        labels[static_cast<std::size_t>(t * rows + b)] =
            sentences[static_cast<std::size_t>(b)][static_cast<std::size_t>(t + 1)];
      }
    }
    const autograd::Var gx = linear(tape, embedding(tape, table, inputs), tape.parameter(w_ih));
    const autograd::Var gh = broadcast(tape, tape.parameter(bias), rows * steps);
    autograd::StepLinear recurrent(tape, tape.parameter(w_hh), gh);
    const autograd::Var states = tape.variable(rows * steps, kHidden);
    autograd::Var h = tape.zeros(rows, kHidden);
    for (Index t = 0; t < steps; ++t) {
      h = gru_step(tape, gx.slice_rows(t * rows, rows), recurrent.step(t * rows, h), h);
      write(tape, states.slice_rows(t * rows, rows), h);
    }
    double total = 0;
    const Tensor losses = output_loss(tape, states, tape.parameter(out), {}, labels, {.weight = weight});
    for (Index i = 0; i < losses.rows(); ++i) total += losses.number(i, 0);
    return total;
  }

  autograd::Parameters parameters;
  autograd::ParameterId table, w_ih, w_hh, bias, out;
};

inline std::vector<std::vector<Id>> sentences(std::size_t count) {
  std::vector<std::vector<Id>> result;
  for (std::size_t i = 0; i < count; ++i) {
    result.emplace_back();
    for (std::uint64_t k = 0; k < 7; ++k)
      result.back().push_back(
          static_cast<Id>(Random(1, Stream::test, static_cast<std::uint32_t>(i)).below(k, kVocabulary)));
  }
  return result;
}

}  // namespace heed::testing
