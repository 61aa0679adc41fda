// The output layer, softmax and cross-entropy as one operation, over chunks of rows: the logits of a batch never exist
// in full. The gradient is computed on the way forward, while a chunk's logits are there: so the loss is the root of a
// tape, and its weight in the total must be known beforehand.
#pragma once

#include "autograd/tape.h"

namespace heed::autograd {

struct LossOptions {
  double smoothing = 0;  // label smoothing: this much probability is spread over all words
  double weight = 1;     // what backward() sees is weight * the sum of all rows' losses
  Index chunk_rows = 0;  // rows at a time; 0 chooses
};

// logits = x Wᵀ + b; x:[N,in], w:[V,in], b:[1,V] or absent, labels:[N] -> each row's loss [N,1], not weighted.
Tensor output_loss(Tape& tape, Var x, Var w, Var b, Ids labels, const LossOptions& options);

// The likeliest label of each row of x Wᵀ + b, the first of equals. Has no gradient and records nothing; the ids live
// in the tape's arena.
Ids predict(Tape& tape, Tensor x, Var w, Var b);

}  // namespace heed::autograd
