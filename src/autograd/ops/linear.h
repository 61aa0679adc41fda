// Linear layers and matrix products.
#pragma once

#include "autograd/tape.h"

namespace heed::autograd {

// y = x Wᵀ + b, not recorded: with the fastest matrix product if the tape records, otherwise with the batch-invariant
// one (kernels/panels.h). The shapes are those of linear().
void affine(const Tape& tape, Tensor y, Tensor x, Var w, Var b);

// y = x Wᵀ + b; x:[N,in], w:[out,in], b:[1,out] or absent -> [N,out]
Var linear(Tape& tape, Var x, Var w, Var b = {});

// c = a b; a:[M,K], b:[K,N] -> [M,N]
Var matmul(Tape& tape, Var a, Var b);

// The same linear layer at every step of a loop: step() adds x Wᵀ to rows [row, row + n) of `out`, in place. `out` must
// come from an operation whose backward does not read its output (linear, broadcast), and no operation may read the
// rows before step() adds to them; then the gradient of `out` is the gradient of the sum. Create the layer before the
// loop: its backward, which runs after that of all steps, computes the weight's gradient as one product over all steps.
// The first step of the backward transposes the packed weight in place, so backward() can run only once.
class StepLinear {
 public:
  // out:[N,out] holds the rows of all steps, w:[out,in].
  StepLinear(Tape& tape, Var w, Var out);
  // x:[n,in]; returns the rows of `out`.
  Var step(Index row, Var x);

 private:
  // The weight in panels: W in the forward; from the first step of the backward on, its transpose in the same memory.
  struct Packed {
    Tensor forward, backward;
    bool transposed = false;
  };

  Tape& tape_;
  Var w_;
  Var out_;
  Tensor inputs_;             // [N,in], the rows of all steps, for the weight's gradient
  Packed* packed_ = nullptr;  // in the arena; null if there are too few rows for packing to pay off
};

}  // namespace heed::autograd
