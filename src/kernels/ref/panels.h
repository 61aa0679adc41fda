// Reference product with a matrix in panels (kernels/panels.h).
#pragma once

#include "kernels/view.h"

namespace heed::kernels::ref {

// w begins at the first panel; panels lie `stride` numbers apart.
inline void matmul_panels(View<float> y, View<float> x, const float* w, Index stride, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) {
    for (Index j = 0; j < y.columns; ++j) {
      const float* const panel = w + j / kPanelRows * stride + j % kPanelRows;
      float sum = accumulate ? y.row(i)[j] : 0.0f;
      for (Index k = 0; k < x.columns; ++k) sum += x.row(i)[k] * panel[k * kPanelRows];
      y.row(i)[j] = sum;
    }
  }
}

}  // namespace heed::kernels::ref
