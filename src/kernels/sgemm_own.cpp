// The product for builds without oneDNN.
#ifndef HEED_ONEDNN
#include <algorithm>
#include <vector>

#include "kernels/panels.h"
#include "kernels/sgemm.h"

namespace heed::kernels {
namespace {

// Memory of this thread that grows as needed.
float* scratch(std::vector<float>& memory, Index elements) {
  if (memory.size() < static_cast<std::size_t>(elements)) memory.resize(static_cast<std::size_t>(elements));
  return memory.data();
}

// Blocks, so that both matrices are read and written in whole cache lines.
void copy_transposed(const Tensor& to, const Tensor& from) {
  constexpr Index kBlock = 16;
  for (Index i0 = 0; i0 < from.rows(); i0 += kBlock)
    for (Index j0 = 0; j0 < from.columns(); j0 += kBlock)
      for (Index i = i0; i < std::min(i0 + kBlock, from.rows()); ++i)
        for (Index j = j0; j < std::min(j0 + kBlock, from.columns()); ++j) to.row<float>(j)[i] = from.row<float>(i)[j];
}

}  // namespace

// The product of decoding is y = x Wᵀ: x is op(a), and W is the transpose of op(b).
void sgemm(const Tensor& c, const Tensor& a, const Tensor& b, MatmulOptions options, Index k) {
  thread_local std::vector<float> rows, weights;
  Tensor x = a;
  if (options.transpose_a) {
    x = Tensor(scratch(rows, c.rows() * k), DType::f32, c.rows(), k);
    copy_transposed(x, a);
  }
  Tensor w = b;
  if (!options.transpose_b) {
    const Index padded = (c.columns() + kPanelRows - 1) / kPanelRows * kPanelRows;
    w = Tensor(scratch(weights, padded * k), DType::panels, c.columns(), k);
    copy_transposed_to_panels(w, b);
  }
  matmul_invariant(c, x, w, options.accumulate);
}

}  // namespace heed::kernels

#endif
