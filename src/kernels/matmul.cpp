#include "kernels/matmul.h"

#include <vector>

#include "kernels/elementwise.h"
#include "kernels/int8.h"
#include "kernels/panels.h"
#include "kernels/profile.h"
#include "kernels/ref/matmul.h"
#include "kernels/sgemm.h"

namespace heed::kernels {
namespace {

thread_local std::vector<MatmulCall>* trace = nullptr;
thread_local const ProjectObserver* observer = nullptr;

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

namespace {

// Around every product of project(), except in f64.
class ProjectScope {
 public:
  ProjectScope(const Tensor& x, const Tensor& w, bool accumulate) {
    if (trace != nullptr && w.rows() > 1)  // a product with one row is too small to matter
      trace->push_back({x.rows(), w.rows(), x.columns(), {.transpose_b = true, .accumulate = accumulate}});
    if (observer != nullptr) (*observer)(x, w);
  }
  ~ProjectScope() { timer_.lap(Profile::matmul); }
  ProjectScope(const ProjectScope&) = delete;
  ProjectScope& operator=(const ProjectScope&) = delete;

 private:
  ProfileTimer timer_;
};

}  // namespace

void project(Tensor y, Tensor x, Tensor w, bool accumulate) {
  if (y.type() == DType::f64) return matmul(y, x, w, {.transpose_b = true, .accumulate = accumulate});
  const ProjectScope scope(x, w, accumulate);
  if (w.type() == DType::int8) return matmul_int8(y, x, w, {.accumulate = accumulate});
  matmul_invariant(y, x, w, accumulate);
}

void project(Tensor y, Tensor x, Tensor w, Tensor b) {
  if (w.type() != DType::int8) {
    broadcast_forward(y, b);
    return project(y, x, w, true);
  }
  const ProjectScope scope(x, w, false);
  matmul_int8(y, x, w, {.bias = b});
}

void observe_projections(const ProjectObserver* to) {
  observer = to;
}

void trace_matmuls(std::vector<MatmulCall>* calls) {
  trace = calls;
}

}  // namespace heed::kernels
