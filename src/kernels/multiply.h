// Matrix multiply. Everything above calls these two functions; which library or instruction set does the work, and
// later which precision the weights are kept in, is decided here.
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

// A layer's weights [out, in] as the right side of y = x Wᵀ. Today a view of f32 or f64 numbers; packed forms of lower
// precision can come in here without a change to the callers.
class Weights {
 public:
  Weights() = default;
  Weights(Tensor dense) : dense_(dense) {}  // NOLINT(google-explicit-constructor)
  Index out() const { return dense_.rows(); }
  Index in() const { return dense_.columns(); }
  const Tensor& dense() const { return dense_; }

 private:
  Tensor dense_;
};

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], y:[N,out].
void project(Tensor y, Tensor x, const Weights& weights, bool accumulate);

// For reports of speed: the multiplies of this thread are noted in `calls` until it is called with null.
struct MultiplyCall {
  Index m, n, k;
  MultiplyOptions options;
};
void trace_multiplies(std::vector<MultiplyCall>* calls);

// Time spent inside multiplies on this thread since it began, and their arithmetic.
struct MultiplyStatistics {
  double seconds = 0;
  double operations = 0;
};
MultiplyStatistics multiply_statistics();
// Timing every multiply costs two clock reads a call, so it is off until asked for (all threads).
void measure_multiplies(bool on);

}  // namespace heed::kernels
