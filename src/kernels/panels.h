// Weights laid out for multiplying by them again and again: y = x Wᵀ, as everything that only runs forward does.
//
// A matrix [out,in] in panels (DType::panels) keeps 16 rows together, the 16 numbers of a column side by side; the last
// panel is filled up with zeros. A panel takes exactly the memory of its rows, so a matrix whose memory has room for a
// multiple of 16 rows changes its layout in place. Columns, and rows from a multiple of 16 on, can be sliced.
//
// An element of y is summed over `in` from the first to the last, one fused multiply-add after the other, whatever the
// number of rows of x: a row's result does not depend on what else is multiplied. (oneDNN's does.)
#pragma once

#include "kernels/view.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// Lays an f32 matrix out in panels, or back, in place; it must be contiguous, with room for its rows rounded up to
// kPanelRows. Returns the new view; the old one must not be used any more.
Tensor to_panels(Tensor dense);
Tensor from_panels(Tensor panels);
// The view of a matrix whose panels have been laid out one by one.
Tensor as_panels(Tensor dense);
// Copies an f32 matrix, or its transpose, into panels that have memory of their own.
void copy_to_panels(Tensor panels, Tensor dense);
void copy_transposed_to_panels(Tensor panels, Tensor dense);

// y = x Wᵀ, or y += with `accumulate`; x:[n,in], w:[out,in] in panels, y:[n,out]. Runs on the calling thread alone.
void multiply_panels(Tensor y, Tensor x, Tensor w, bool accumulate);
// The same for one row of f32 weights, w:[1,in].
void multiply_row(Tensor y, Tensor x, Tensor w, bool accumulate);

// out[i] = x[index[i]] of a matrix in panels, for one that is an embedding too. The ids must have been checked.
void gather_from_panels(Tensor out, Tensor x, Ids index);

}  // namespace heed::kernels
