// The matrix product of training in f32: oneDNN's, or heed's own if heed was built without oneDNN (HEED_ONEDNN).
#pragma once

#include "kernels/matmul.h"

namespace heed::kernels {

// As matmul(), for f32 with at least one element and k > 0 columns of op(a).
void sgemm(const Tensor& c, const Tensor& a, const Tensor& b, MatmulOptions options, Index k);

}  // namespace heed::kernels
