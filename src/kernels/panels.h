// A batch-invariant matrix product, y = x Wᵀ: the result of a row does not depend on the other rows. Each element of y
// is one chain of fused multiply-adds from the first column of W to the last, for any number of rows of x. (In oneDNN
// the order of the sum depends on the number of rows.)
//
// A matrix [out,in] in panels (DType::panels) stores 16 rows together, column by column: the 16 numbers of a column are
// consecutive. The last panel is padded with zeros. Panels can be sliced at any column and at rows that are multiples
// of 16.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

// Copies an f32 matrix, or its transpose, into panels. Their memory must hold the rows rounded up to kPanelRows.
void copy_to_panels(Tensor panels, Tensor dense);
void copy_transposed_to_panels(Tensor panels, Tensor dense);

// y = x Wᵀ, or y += with `accumulate`; x:[N,in], y:[N,out], w:[out,in] in panels or f32. Both layouts of w give the
// same bits, except that a single row of f32 weights is summed in another order. Runs on the calling thread only.
void matmul_invariant(Tensor y, Tensor x, Tensor w, bool accumulate);

}  // namespace heed::kernels
