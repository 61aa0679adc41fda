#include "model/recurrent.h"

#include "autograd/ops/elementwise.h"

namespace heed::model {
namespace {

// `state` padded with zeros to n rows, for the sentences that begin at this step of a reverse run: [n,H].
Var grow(Tape& tape, Var state, Index n) {
  if (!state || state.rows() == n) return state;
  const Var grown = tape.zeros(n, state.columns());
  write(tape, grown.slice_rows(0, state.rows()), state);
  return grown;
}

CellState run_steps(Tape& tape, const CellParameters& layer, const Packing& packing, Var input, Var states,
                    const LayerRun& run) {
  const bool reverse = run.reverse;
  const Index steps = packing.steps;
  const bool has_cell_state = layer.kind->has_cell_state;
  const Var gx = linear(tape, input, tape.parameter(layer.w_ih), tape.parameter(layer.b_ih));
  // gh = W_hh h + b_hh: its rows start as b_hh, and recurrent.step() adds W_hh h. While recording, every step has its
  // own rows, which the backward pass reads; otherwise all steps share the first rows, which are filled again at each
  // step.
  const bool keep = tape.recording();
  const Var biases = broadcast(tape, tape.parameter(layer.b_hh), keep ? packing.rows : packing.batch);
  const Var gh = keep ? biases : tape.variable(packing.batch, biases.columns());
  autograd::StepLinear recurrent(tape, tape.parameter(layer.w_hh), gh);
  const Var cells = has_cell_state ? tape.variable(packing.rows, layer.hidden) : Var{};
  const Index first_rows = packing.active[reverse ? static_cast<std::size_t>(steps - 1) : 0];
  CellState state{tape.zeros(first_rows, layer.hidden), has_cell_state ? tape.zeros(first_rows, layer.hidden) : Var{}};
  for (Index i = 0; i < steps; ++i) {
    const auto t = static_cast<std::size_t>(reverse ? steps - 1 - i : i);
    const Index n = packing.active[t], row = packing.offset[t];
    state = reverse ? CellState{grow(tape, state.h, n), grow(tape, state.c, n)} : state.slice_rows(0, n);
    const Var read = run.mask ? mul(tape, state.h, run.mask.slice_rows(0, n)) : state.h;
    if (!keep) write(tape, gh.slice_rows(0, n), biases.slice_rows(0, n));
    state = layer.kind->step(tape, gx.slice_rows(row, n), recurrent.step(keep ? row : 0, read), state);
    write(tape, states.slice_rows(row, n), state.h);
    if (has_cell_state) write(tape, cells.slice_rows(row, n), state.c);
  }
  const auto last = tape.arena().array<Id>(static_cast<std::size_t>(packing.batch));
  for (Index b = 0; b < packing.batch; ++b) {
    const auto i = static_cast<std::size_t>(b);
    last[static_cast<std::size_t>(packing.order[i])] = packing.row(b, reverse ? 0 : packing.length[i] - 1);
  }
  return {gather_rows(tape, states, last), has_cell_state ? gather_rows(tape, cells, last) : Var{}};
}

}  // namespace

CellParameters CellParameters::declare(Parameters& parameters, const std::string& name, int layer, bool reverse,
                                       const CellKind& kind, Index input, Index hidden) {
  const auto tensor = [&](const char* what) {
    return fmt::format("{}.{}_l{}{}", name, what, layer, reverse ? "_reverse" : "");
  };
  const Index rows = kind.gates * hidden;
  CellParameters p{.kind = &kind, .input = input, .hidden = hidden};
  const autograd::Init init{.fan_in = hidden};
  p.w_ih = parameters.add(tensor("weight_ih"), {rows, input}, init);
  p.w_hh = parameters.add(tensor("weight_hh"), {rows, hidden}, init);
  p.b_ih = parameters.add(tensor("bias_ih"), {rows}, init);
  p.b_hh = parameters.add(tensor("bias_hh"), {rows}, init);
  return p;
}

CellState run_layer(Tape& tape, const CellParameters& layer, const Packing& packing, Var input, Var states,
                    const LayerRun& run) {
  if (tape.recording()) return run_steps(tape, layer, packing, input, states, run);
  // Apart from `states`, which the caller allocated, only the last states are needed afterwards: the rest is freed.
  CellState last{.h = tape.variable(packing.batch, layer.hidden), .c = {}};
  if (layer.kind->has_cell_state) last.c = tape.variable(packing.batch, layer.hidden);
  const Arena::Mark mark = tape.arena().mark();
  const CellState computed = run_steps(tape, layer, packing, input, states, run);
  write(tape, last.h, computed.h);
  if (last.c) write(tape, last.c, computed.c);
  tape.arena().rewind(mark);
  return last;
}

}  // namespace heed::model
