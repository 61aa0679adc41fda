// Matrix products. All code outside the kernels calls these two functions, which choose the library or instruction set.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::kernels {

struct MatmulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
};

// c = op(a) op(b), or c += with `accumulate`; c:[M,N], op(a):[M,K], op(b):[K,N]. c must not overlap a or b.
// Runs on the calling thread only, because heed parallelizes over whole replicas, not within a product.
void matmul(Tensor c, Tensor a, Tensor b, MatmulOptions options = {});

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], w:[out,in] in f32, f64 or panels, y:[N,out]. In f32 the bits of a row
// of y do not depend on the other rows (kernels/panels.h). For many rows matmul() is faster.
void project(Tensor y, Tensor x, Tensor w, bool accumulate);

// For speed reports: appends this thread's products to `calls` until it is called with null.
struct MatmulCall {
  Index m, n, k;
  MatmulOptions options;
};
void trace_matmuls(std::vector<MatmulCall>* calls);

}  // namespace heed::kernels
