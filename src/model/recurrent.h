// One layer and direction of a recurrent network over packed sentences. The projection of the input is one matrix
// product for all steps; the loop over the steps computes the projection of the state and the cell.
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

struct LayerRun {
  bool reverse = false;  // from the last word to the first
  Var mask = {};         // [B,H] in the packing's order, multiplied by the state that the gates read; may be absent
};
// Reads input:[N,I], writes the state at every word to states:[N,H], both by packed row, and returns the last state of
// each sentence, [B,H], in the caller's order of sentences.
CellState run_layer(Tape& tape, const CellParameters& layer, const Packing& packing, Var input, Var states,
                    const LayerRun& run);

}  // namespace heed::model
