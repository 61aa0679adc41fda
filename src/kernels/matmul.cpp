#include "kernels/matmul.h"

#include <dnnl.h>
#include <malloc.h>
#include <omp.h>

#include <new>
#include <vector>

#include "base/system.h"
#include "kernels/cpu.h"
#include "kernels/elementwise.h"
#include "kernels/int8.h"
#include "kernels/panels.h"
#include "kernels/profile.h"
#include "kernels/ref/matmul.h"

namespace heed::kernels {
namespace {

thread_local std::vector<MatmulCall>* trace = nullptr;
thread_local const ProjectObserver* observer = nullptr;

// oneDNN generates machine code in the first products and crashes if there is no memory for it. Checks that there is
// enough, and generates the code now.
void generate_code() {
  constexpr std::size_t kCodeMemory = std::size_t{128} << 20;
  if (!has_memory(kCodeMemory)) throw std::bad_alloc();
  constexpr Index kLargest = 128;
  const std::vector<float> a(kLargest * kLargest), b(kLargest * kLargest);
  std::vector<float> c(kLargest * kLargest);
  for (const Index n : {Index{4}, kLargest})
    for (const char transpose_a : {'N', 'T'})
      for (const char transpose_b : {'N', 'T'})
        for (const float beta : {0.0F, 1.0F})
          dnnl_sgemm(transpose_a, transpose_b, n, n, n, 1.0F, a.data(), n, b.data(), n, beta, c.data(), n);
}

// Once per process. oneDNN is capped below AMX, where Debian 12's version crashes. It allocates a large buffer in every
// call; the mallopt calls keep malloc from mapping and unmapping it each time.
void prepare_process() {
  [[maybe_unused]] static const bool done = [] {
    const std::string set = instruction_set();
    dnnl_set_max_cpu_isa(set == "AVX-512" ? dnnl_cpu_isa_avx512_core
                         : set == "AVX2"  ? dnnl_cpu_isa_avx2
                                          : dnnl_cpu_isa_sse41);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 29);
    generate_code();
    return true;
  }();
}

// Once per thread, because OpenMP's thread count is set per thread. Otherwise oneDNN would start threads of its own.
void prepare_thread() {
  [[maybe_unused]] thread_local const bool done = [] {
    omp_set_num_threads(1);
    prepare_process();
    return true;
  }();
}

void matmul_f32(const Tensor& c, const Tensor& a, const Tensor& b, MatmulOptions options, Index k) {
  prepare_thread();
  const float beta = options.accumulate ? 1.0f : 0.0f;
  const dnnl_status_t status =
      dnnl_sgemm(options.transpose_a ? 'T' : 'N', options.transpose_b ? 'T' : 'N', c.rows(), c.columns(), k, 1.0f,
                 a.data<float>(), a.stride(), b.data<float>(), b.stride(), beta, c.data<float>(), c.stride());
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  check<InternalError>(status == dnnl_success, "dnnl_sgemm failed with status {} on {} x {}", static_cast<int>(status),
                       a.shape_string(), b.shape_string());
}

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
  matmul_f32(c, a, b, options, k);
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
