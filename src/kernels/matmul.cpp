#include "kernels/matmul.h"

#include <vector>

#include "kernels/panels.h"
#include "kernels/profile.h"
#include "kernels/ref/matmul.h"
#include "kernels/sgemm.h"

namespace heed::kernels {
namespace {

thread_local std::vector<MatmulCall>* trace = nullptr;

}  // namespace

void matmul(Tensor c, Tensor a, Tensor b, MatmulOptions options) {
  const Index m = options.transpose_a ? a.columns() : a.rows(), k = options.transpose_a ? a.rows() : a.columns();
  const Index k_of_b = options.transpose_b ? b.columns() : b.rows();
  const Index n = options.transpose_b ? b.rows() : b.columns();
  check(k == k_of_b, "matmul: {}{} x {}{}: {} columns meet {} rows", a.shape_string(),
        options.transpose_a ? " transposed" : "", b.shape_string(), options.transpose_b ? " transposed" : "", k,
        k_of_b);
  check_shape("matmul", "c", c, m, n);
  check_same_type("matmul", {c, a, b});
  if (c.elements() == 0) return;
  if (c.type() == DType::f64) return ref::matmul<double>(c, a, b, options);
  if (k == 0) return ref::matmul<float>(c, a, b, options);
  if (trace != nullptr) trace->push_back({m, n, k, options});
  ProfileTimer timer;
  sgemm(c, a, b, options, k);
  timer.lap(Profile::matmul);
}

void project(Tensor y, Tensor x, Tensor w, bool accumulate) {
  if (y.type() == DType::f64) return matmul(y, x, w, {.transpose_b = true, .accumulate = accumulate});
  if (trace != nullptr && w.rows() > 1)  // a product with one row is too small to matter
    trace->push_back({y.rows(), y.columns(), x.columns(), {.transpose_b = true, .accumulate = accumulate}});
  ProfileTimer timer;
  matmul_invariant(y, x, w, accumulate);
  timer.lap(Profile::matmul);
}

void trace_matmuls(std::vector<MatmulCall>* calls) {
  trace = calls;
}

}  // namespace heed::kernels
