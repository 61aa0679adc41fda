#include "model/cell.h"

#include "autograd/ops/cell.h"

namespace heed::model {
namespace {

// Gated recurrent unit (Cho et al. 2014), in PyTorch's form: the reset gate acts on the projected state.
CellState gru(Tape& tape, Var gx, Var gh, const CellState& before) {
  return {gru_step(tape, gx, gh, before.h), {}};
}

// Long short-term memory (Hochreiter and Schmidhuber 1997, with a forget gate).
CellState lstm(Tape& tape, Var gx, Var gh, const CellState& before) {
  const autograd::LstmState next = lstm_step(tape, gx, gh, before.c);
  return {next.h, next.c};
}

// Simple recurrent network (Elman 1990): h' = tanh(gx + gh).
CellState rnn(Tape& tape, Var gx, Var gh, const CellState& /*before*/) {
  return {rnn_step(tape, gx, gh), {}};
}

constexpr CellKind kCells[] = {
    {.value = Cell::gru,
     .name = "gru",
     .gates = 3,
     .has_cell_state = false,
     .step = gru,
     .about = "gated recurrent unit"},
    {.value = Cell::lstm,
     .name = "lstm",
     .gates = 4,
     .has_cell_state = true,
     .step = lstm,
     .about = "long short-term memory"},
    {.value = Cell::rnn,
     .name = "rnn",
     .gates = 1,
     .has_cell_state = false,
     .step = rnn,
     .about = "simple recurrent network: tanh, no gates"},
};
static_assert(rows_in_order(kCells));

}  // namespace

const CellKind& cell_kind(Cell cell) {
  return kCells[static_cast<std::size_t>(cell)];
}

std::vector<std::string> enum_names(Cell) {
  return row_names(kCells);
}

std::vector<std::string> enum_about(Cell) {
  return row_lines(kCells);
}

}  // namespace heed::model
