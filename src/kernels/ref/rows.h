// Plain loops; the twins of kernels/rows.h.
#pragma once

#include "kernels/view.h"
#include "tensor/ids.h"

namespace heed::kernels::ref {

template <class T>
void gather_rows_forward(View<T> out, View<T> x, Ids index) {
  for (Index i = 0; i < out.rows; ++i)
    for (Index j = 0; j < out.columns; ++j) out.row(i)[j] = x.row(index[i])[j];
}

template <class T>
void gather_rows_backward(View<T> d_x, View<T> d_out, Ids index) {
  for (Index i = 0; i < d_out.rows; ++i)
    for (Index j = 0; j < d_out.columns; ++j) d_x.row(index[i])[j] += d_out.row(i)[j];
}

}  // namespace heed::kernels::ref
