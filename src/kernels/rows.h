// Gathering rows of a matrix by index: embeddings, reordering of sentences, packing of steps.
#pragma once

#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// out[i] = x[index[i]]; the numbers of an int8 matrix become f32.
void gather_rows_forward(Tensor out, Tensor x, Ids index);
// d_x[index[i]] += d_out[i], in the order of i
void gather_rows_backward(Tensor d_x, Tensor d_out, Ids index);

}  // namespace heed::kernels
