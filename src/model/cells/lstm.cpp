// Long short-term memory (Hochreiter and Schmidhuber 1997, with a forget gate).
#include "autograd/ops/cell.h"
#include "model/cell.h"

namespace heed::model {

CellState lstm_cell_step(Tape& tape, Var gx, Var gh, const CellState& before) {
  const autograd::LstmState next = lstm_step(tape, gx, gh, before.c);
  return {next.h, next.c};
}

}  // namespace heed::model
