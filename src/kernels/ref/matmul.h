// Reference loops of kernels/matmul.h, for float and double.
#pragma once

#include "kernels/matmul.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void matmul(View<T> c, View<T> a, View<T> b, MatmulOptions options) {
  const Index k_size = options.transpose_a ? a.rows : a.columns;
  for (Index i = 0; i < c.rows; ++i) {
    for (Index j = 0; j < c.columns; ++j) {
      T sum = options.accumulate ? c.row(i)[j] : T(0);
      for (Index k = 0; k < k_size; ++k)
        sum += (options.transpose_a ? a.row(k)[i] : a.row(i)[k]) * (options.transpose_b ? b.row(j)[k] : b.row(k)[j]);
      c.row(i)[j] = sum;
    }
  }
}

}  // namespace heed::kernels::ref
