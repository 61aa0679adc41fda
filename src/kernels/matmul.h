// Matrix products. Everything above calls these two functions; which library or instruction set does the work is
// decided here.
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
// Runs on the calling thread alone: heed's parallelism is whole replicas, not parts of a product.
void matmul(Tensor c, Tensor a, Tensor b, MatmulOptions options = {});

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], w:[out,in] as it is or in panels, y:[N,out]. A row of y does not
// depend on how many there are, to the bit (kernels/panels.h). If that is not needed and there are many, matmul()
// is faster.
void project(Tensor y, Tensor x, Tensor w, bool accumulate);

// For reports of speed: the products of this thread are noted in `calls` until it is called with null.
struct MatmulCall {
  Index m, n, k;
  MatmulOptions options;
};
void trace_matmuls(std::vector<MatmulCall>* calls);

}  // namespace heed::kernels
