// Reference loop of kernels/rows.h, for float and double.
#pragma once

#include <algorithm>

#include "kernels/view.h"
#include "tensor/ids.h"

namespace heed::kernels::ref {

// Bound by memory bandwidth, so the float kernel uses this loop too.
template <class T>
void gather_rows_forward(View<T> out, View<T> x, Ids index) {
  for (Index i = 0; i < out.rows; ++i) std::copy_n(x.row(index[i]), out.columns, out.row(i));
}

}  // namespace heed::kernels::ref
