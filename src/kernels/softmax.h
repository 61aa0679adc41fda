// Softmax over the first lengths[i] columns of each row; the rest of the row is zero. A row of length 0 is all zeros.
#pragma once

#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

void softmax_forward(Tensor out, Tensor x, Ids lengths);
// d_x += the gradient; needs the output only.
void softmax_backward(Tensor d_x, Tensor d_out, Tensor out, Ids lengths);

// Log-probabilities over whole rows, for decoding; out may be x.
void log_softmax_forward(Tensor out, Tensor x);

// The place of the largest number of a row, the first where there are several.
Index argmax(Tensor x, Index row);

// Cross-entropy with label smoothing (the label gets 1 - smoothing, every word a share of `smoothing`), row by row:
// losses:[rows,1] = -sum of q log p. With `gradient`, the logits are replaced by weight * (p - q), else left as they
// are. The label is ids[i]; all must be words of the row.
struct CrossEntropyOptions {
  double smoothing = 0;
  double weight = 1;
  bool gradient = true;
};
void cross_entropy(Tensor losses, Tensor logits, Ids labels, CrossEntropyOptions options);

}  // namespace heed::kernels
