// y = x Wᵀ with W in panels, or packed into panels block by block on the way: a batch-invariant matrix product. A row's
// result does not depend on the other rows.
//
// A matrix [out,in] in panels (DType::panels) keeps 16 rows together, the 16 numbers of a column side by side; the last
// panel is filled up with zeros. Columns, and rows from a multiple of 16 on, can be sliced.
//
// An element of y is summed over `in` from the first to the last, one fused multiply-add after the other, whatever the
// number of rows of x and however W lies. (oneDNN's order depends on the number of rows.)
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

// Copies an f32 matrix, or its transpose, into panels, whose memory has room for the rows rounded up to kPanelRows.
void copy_to_panels(Tensor panels, Tensor dense);
void copy_transposed_to_panels(Tensor panels, Tensor dense);

// y = x Wᵀ, or y += with `accumulate`; x:[n,in], w:[out,in] in panels, y:[n,out]. Runs on the calling thread alone.
void matmul_panels(Tensor y, Tensor x, Tensor w, bool accumulate);
// The same to the bit with f32 weights as they are: for those that are used once, or not worth a copy.
void matmul_rows(Tensor y, Tensor x, Tensor w, bool accumulate);
// One row of f32 weights, w:[1,in]; also whatever the number of rows of x.
void matmul_row(Tensor y, Tensor x, Tensor w, bool accumulate);

}  // namespace heed::kernels
