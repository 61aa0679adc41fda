// Output layer, softmax and cross-entropy as one operation over chunks of rows, so that the logits of a batch never
// exist as a whole (unless some are known already). The gradient is computed in the forward, while the logits of a
// chunk exist. Therefore the loss is a root of the tape, and its weight must be known in advance.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/tape.h"

namespace heed::autograd {

// Logits of some rows that were computed before the loss, to choose the next words (scheduled sampling).
struct KnownLogits {
  Tensor logits;                 // [N,V]
  std::span<std::uint8_t> rows;  // [N]: 1 if the logits of the row are known, otherwise 0
  explicit operator bool() const { return static_cast<bool>(logits); }
};

struct LossOptions {
  double smoothing = 0;  // label smoothing: the probability that is spread over all words
  double weight = 1;     // gradients are those of weight * sum of losses
  Index chunk_rows = 0;  // rows per chunk; 0: automatic
  // Used instead of x for the rows that it knows, and overwritten; absent: none is known.
  KnownLogits known = {};
};

// logits = x Wᵀ + b; x:[N,in], w:[V,in], b:[1,V] or absent, labels:[N] -> the unweighted loss of each row, [N,1].
Tensor output_loss(Tape& tape, Var x, Var w, Var b, Ids labels, const LossOptions& options);

// The most likely label of each row of x Wᵀ + b, the first one in a tie. Records nothing. The ids live in the tape's
// arena.
Ids predict(Tape& tape, Tensor x, Var w, Var b);
// The same, and keeps the logits as rows [row, row + n) of `known`.
Ids predict(Tape& tape, Tensor x, Var w, Var b, const KnownLogits& known, Index row);

}  // namespace heed::autograd
