// Multiplies with trained matrices.
#pragma once

#include "autograd/tape.h"

namespace heed {

// y = x Wᵀ + b; x:[N,in], w:[out,in], b:[1,out] or absent -> [N,out]
Var linear(Tape& tape, Var x, Var w, Var b = {});

// c = a b; a:[M,K], b:[K,N] -> [M,N]
Var matmul(Tape& tape, Var a, Var b);

// The same linear layer at every step of a loop: rows [row, row + n) of `out` get x Wᵀ added. What `out` holds before
// (a bias, another projection) is kept, and its gradient is the gradient of the sum. Nothing may have read those rows of
// `out` before they are added to. The weight's gradient is one multiply over all steps, when the backward has passed the
// last of them: the layer must be created before the loop.
class StepLinear {
 public:
  // out:[N,out] holds the rows of all steps, w:[out,in].
  StepLinear(Tape& tape, Var w, Var out);
  // x:[n,in]; returns the rows of `out`.
  Var step(Index row, Var x);

 private:
  Tape& tape_;
  Var w_;
  Var out_;
  Tensor inputs_;  // [N,in], the rows of all steps; kept for the weight's gradient
};

}  // namespace heed
