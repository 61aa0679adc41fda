// The product of oneDNN.
#ifdef HEED_ONEDNN
#include <dnnl.h>
#include <malloc.h>
#include <omp.h>

#include <new>
#include <vector>

#include "base/system.h"
#include "kernels/cpu.h"
#include "kernels/sgemm.h"

namespace heed::kernels {
namespace {

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

}  // namespace

void sgemm(const Tensor& c, const Tensor& a, const Tensor& b, MatmulOptions options, Index k) {
  prepare_thread();
  const float beta = options.accumulate ? 1.0f : 0.0f;
  const dnnl_status_t status =
      dnnl_sgemm(options.transpose_a ? 'T' : 'N', options.transpose_b ? 'T' : 'N', c.rows(), c.columns(), k, 1.0f,
                 a.data<float>(), a.stride(), b.data<float>(), b.stride(), beta, c.data<float>(), c.stride());
  if (status == dnnl_out_of_memory) throw std::bad_alloc();
  check<InternalError>(status == dnnl_success, "dnnl_sgemm failed with status {} on {} x {}", static_cast<int>(status),
                       a.shape_string(), b.shape_string());
}

}  // namespace heed::kernels

#endif
