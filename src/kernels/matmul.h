// Matrix products. All code outside the kernels calls these two functions, which choose the library or instruction set.
#pragma once

#include <functional>
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

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], w:[out,in] in f32, f64, panels or int8, y:[N,out]. Except in f64, the
// bits of a row of y do not depend on the other rows (kernels/panels.h, kernels/int8.h). For many rows of f32 matmul()
// is faster.
void project(Tensor y, Tensor x, Tensor w, bool accumulate);
// y = x Wᵀ + b; b:[1,out]. The same bits as adding x Wᵀ to rows of b.
void project(Tensor y, Tensor x, Tensor w, Tensor b);

// For calibration: from now on, called with the inputs and the weight of every f32 or int8 product of project() on this
// thread, until it is replaced by null.
using ProjectObserver = std::function<void(const Tensor& x, const Tensor& w)>;
void observe_projections(const ProjectObserver* observer);

// For speed reports: appends this thread's products to `calls` until it is called with null.
struct MatmulCall {
  Index m, n, k;
  MatmulOptions options;
};
void trace_matmuls(std::vector<MatmulCall>* calls);

}  // namespace heed::kernels
