// Softmax, log-softmax and cross-entropy of the rows of a matrix.
#pragma once

#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// Softmax over the first lengths[i] columns of row i; the other columns become zero.
void softmax_forward(Tensor out, Tensor x, Ids lengths);
// d_x += the gradient, for which only the output is needed.
void softmax_backward(Tensor d_x, Tensor d_out, Tensor out, Ids lengths);

// Log-probabilities over whole rows, for decoding; `out` may alias `x`.
void log_softmax_forward(Tensor out, Tensor x);

// The column of the largest number in a row; the first one if there are several.
Index argmax(Tensor x, Index row);

// Cross-entropy with label smoothing (Szegedy et al. 2016) of each row: losses[i] = - sum over j of q[j] log p[j] with
// p = softmax(logits[i]) and q[j] = smoothing / columns, plus 1 - smoothing at j = labels[i]. losses:[N,1],
// logits:[N,V]. With `gradient`, the logits are overwritten with weight * (p - q).
struct CrossEntropyOptions {
  double smoothing = 0;
  double weight = 1;
  bool gradient = true;
};
void cross_entropy(Tensor losses, Tensor logits, Ids labels, CrossEntropyOptions options);

}  // namespace heed::kernels
