// One layer and direction of a recurrent network over packed sentences. The input's projection is one multiply for all
// steps; inside the loop remain the state's projection and the cell.
#pragma once

#include <string>

#include "autograd/ops/linear.h"
#include "model/autograd.h"
#include "model/cell.h"
#include "model/packing.h"

namespace heed::model {

// The four tensors of a layer, as PyTorch names them: NAME.weight_ih_l0[_reverse] and so on.
struct CellParameters {
  ParameterId w_ih, w_hh, b_ih, b_hh;
  const CellKind* kind = nullptr;
  Index input = 0, hidden = 0;

  static CellParameters declare(Parameters& parameters, const std::string& name, int layer, bool reverse,
                                const CellKind& kind, Index input, Index hidden);
};

// Reads input:[N,I] by packed row, from the first word on or in reverse, writes the state at every word to
// states:[N,H], and returns each sentence's last state, [B,H], by the sentences' given order.
struct LayerRun {
  bool reverse = false;
  Var mask = {};  // [B,H] by sorted place: multiplied to the state that the gates read, at every step; may be absent
};
CellState run_layer(Tape& tape, const CellParameters& layer, const Packing& packing, Var input, Var states,
                    const LayerRun& run);

}  // namespace heed::model
