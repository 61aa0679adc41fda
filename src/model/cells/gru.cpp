// The gated recurrent unit (Cho et al. 2014), in PyTorch's form: the reset gate acts on the projected state.
#include "autograd/ops/cell.h"
#include "model/cell.h"

namespace heed::model {

CellState gru_cell_step(Tape& tape, Var gx, Var gh, const CellState& before) {
  return {gru_step(tape, gx, gh, before.h), {}};
}

}  // namespace heed::model
