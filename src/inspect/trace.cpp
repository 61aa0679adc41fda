#include "inspect/trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/softmax.h"

namespace heed {
namespace {

// A row as floats; nothing where there is no tensor.
std::vector<float> row_of(const Tensor& x, Index row, Index columns) {
  std::vector<float> numbers;
  for (Index j = 0; x && j < columns; ++j) numbers.push_back(static_cast<float>(x.number(row, j)));
  return numbers;
}
std::vector<float> first_row(const Tensor& x) {
  return row_of(x, 0, x ? x.columns() : 0);
}

// The likeliest words of log-probabilities; of equal ones the first.
std::vector<TraceStep::Choice> best_of(const std::vector<float>& log_probabilities, Index count) {
  std::vector<Id> words(log_probabilities.size());
  std::iota(words.begin(), words.end(), 0);
  const auto value = [&](Id word) { return log_probabilities[static_cast<std::size_t>(word)]; };
  const auto end = words.begin() + std::clamp<std::ptrdiff_t>(count, 0, std::ssize(words));
  std::partial_sort(words.begin(), end, words.end(),
                    [&](Id a, Id b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
  std::vector<TraceStep::Choice> best;
  for (auto word = words.begin(); word != end; ++word) best.push_back({*word, std::exp(value(*word))});
  return best;
}

}  // namespace

DecoderTrace trace_decoder(const Model& model, Ids source, Ids target, Index choices) {
  const Decoder& decoder = model.decoder();
  const auto top = static_cast<std::size_t>(decoder.layers() - 1);
  // The encoder's tape, and one a step in turn: a state lives on its step's tape while the next is computed.
  Tape tapes[3] = {Tape(model.parameters(), nullptr), Tape(model.parameters(), nullptr),
                   Tape(model.parameters(), nullptr)};
  tapes[0].clear(Tape::Mode::forward_only);
  const Ids sources[] = {source};
  const Encoded encoded = model.encode(tapes[0], sources);
  const Index length = static_cast<Index>(source.size());
  DecoderTrace trace;
  for (Index s = 0; s < length; ++s)
    trace.encoder.push_back(row_of(encoded.source.states.value, s, encoded.source.states.columns()));

  DecoderState state = decoder.start(tapes[0], encoded);
  Id input[] = {static_cast<Id>(model.config().vocabulary.sos)};
  for (std::size_t t = 0; t < target.size(); ++t) {
    Tape& tape = tapes[1 + t % 2];
    tape.clear(Tape::Mode::forward_only);
    DecoderRun run(tape, decoder, encoded, 1, {}, nullptr, {});
    const Var embedding = model.embed_target(tape, input);
    const DecoderRun::Step computed = run.step(0, embedding, state, encoded.rows);
    const Tensor readout = run.readouts().value;
    const Tensor scores = model.logits(tape, Tape::constant(readout)).value;
    kernels::log_softmax_forward(scores, scores);
    const std::vector<float> log_probabilities = first_row(scores);
    check(target[t] >= 0 && static_cast<std::size_t>(target[t]) < log_probabilities.size(),
          "word {} of the translation has id {}, but there are {}", t + 1, target[t], log_probabilities.size());

    TraceStep& step = trace.steps.emplace_back();
    step.input = input[0];
    step.written = {target[t], std::exp(log_probabilities[static_cast<std::size_t>(target[t])])};
    step.choices = best_of(log_probabilities, choices);
    step.embedding = first_row(embedding.value);
    step.before = first_row(state.cells[top].h.value);
    step.state = first_row(computed.after.cells[top].h.value);
    // Location attention has more columns than the sentence has words.
    if (computed.weights) {
      step.scores = row_of(computed.scores, 0, length);
      step.weights = row_of(computed.weights.value, 0, length);
    }
    step.context = first_row(computed.context.value);
    step.readout = first_row(readout);
    state = computed.after;
    input[0] = target[t];
  }
  return trace;
}

}  // namespace heed
