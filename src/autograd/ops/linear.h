// Matrix products with trained weights.
#pragma once

#include "autograd/tape.h"

namespace heed::autograd {

// y = x Wᵀ, or y += with `accumulate`: by the fastest product while gradients are recorded, otherwise by the
// batch-invariant one (kernels/panels.h).
void project(const Tape& tape, Tensor y, Tensor x, Tensor w, bool accumulate);

// y = x Wᵀ + b; x:[N,in], w:[out,in], b:[1,out] or absent -> [N,out]
Var linear(Tape& tape, Var x, Var w, Var b = {});

// c = a b; a:[M,K], b:[K,N] -> [M,N]
Var matmul(Tape& tape, Var a, Var b);

// The same linear layer at every step of a loop: rows [row, row + n) of `out` get x Wᵀ added, in place. `out` must come
// from an operation whose backward does not read its output (linear, broadcast), and nothing may read those rows before
// they are added to; the gradient of `out` is then the gradient of the sum. The weight's gradient is one product over
// all steps, once the backward has passed the last of them: so the layer is created before the loop. The first step of
// the backward transposes the packed weight in place, so a tape can go backwards once only.
class StepLinear {
 public:
  // out:[N,out] holds the rows of all steps, w:[out,in].
  StepLinear(Tape& tape, Var w, Var out);
  // x:[n,in]; returns the rows of `out`.
  Var step(Index row, Var x);

 private:
  // The weight in panels, if there are enough rows for it to pay: W for the forward; from the first step of the
  // backward on its transpose, in the same memory.
  struct Packed {
    Tensor forward, backward;
    bool transposed = false;
  };

  Tape& tape_;
  Var w_;
  Var out_;
  Tensor inputs_;             // [N,in], the rows of all steps; kept for the weight's gradient
  Packed* packed_ = nullptr;  // in the arena; null if it does not pay
};

}  // namespace heed::autograd
