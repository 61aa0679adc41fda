// Layer normalization of each row (Ba et al. 2016): out = (x - mean) / sqrt(variance + epsilon) * gain + bias.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

constexpr double kLayerNormEpsilon = 1e-5;

// gain, bias:[1,C]; statistics:[rows,2] receives each row's mean and 1 / sqrt(variance + epsilon).
void layer_norm_forward(Tensor out, Tensor statistics, Tensor x, Tensor gain, Tensor bias);
// Adds to d_x, d_gain and d_bias; `statistics` are those of the forward pass.
void layer_norm_backward(Tensor d_x, Tensor d_gain, Tensor d_bias, Tensor d_out, Tensor x, Tensor gain,
                         Tensor statistics);

}  // namespace heed::kernels
