// Matrix multiply. Everything above calls these two functions; which library or instruction set does the work is
// decided here.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace heed::kernels {

struct MultiplyOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
};

// c = op(a) op(b), or c += with `accumulate`; c:[M,N], op(a):[M,K], op(b):[K,N]. c must not overlap a or b.
// Runs on the calling thread alone: heed's parallelism is whole replicas, not pieces of a multiply.
void multiply(Tensor c, Tensor a, Tensor b, MultiplyOptions options = {});

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], w:[out,in] as it is or in panels, y:[N,out]. A row of y does not
// depend on how many there are, to the bit (kernels/panels.h). Where that is not needed and there are many, multiply()
// is faster.
void project(Tensor y, Tensor x, Tensor w, bool accumulate);

// For reports of speed: the multiplies of this thread are noted in `calls` until it is called with null.
struct MultiplyCall {
  Index m, n, k;
  MultiplyOptions options;
};
void trace_multiplies(std::vector<MultiplyCall>* calls);

}  // namespace heed::kernels
