// The plain recurrent network (Elman 1990): tanh of both projections.
#include "autograd/ops/cell.h"
#include "model/cell.h"

namespace heed::model {

CellState rnn_cell_step(Tape& tape, Var gx, Var gh, const CellState& /*before*/) {
  return {rnn_step(tape, gx, gh), {}};
}

}  // namespace heed::model
