// Reference loops of kernels/int8.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/view.h"
#include "tensor/ids.h"

namespace heed::kernels {

// The rows of an int8 weight that a product uses, as kernels see them.
struct Int8Weights {
  const std::int8_t* integers = nullptr;
  Index stride = 0, columns = 0;
  const float* scales = nullptr;  // by row of W
  const float* bias = nullptr;    // by row of W; null: none
  const Id* words = nullptr;      // null: all rows

  Index row_of(Index j) const { return words == nullptr ? j : words[j]; }
  const std::int8_t* row(Index j) const { return integers + row_of(j) * stride; }
};

namespace ref {

// Comparisons in this order also limit NaN.
inline std::int32_t rounded(float x, float factor) {
  float value = x * factor;
  value = value > -127.0f ? value : -127.0f;
  value = value < 127.0f ? value : 127.0f;
  return static_cast<std::int32_t>(std::nearbyint(value));
}

// The rows of x lie `x_stride` integers apart.
template <class Integer>
void matmul_int8(View<float> y, const Integer* x, Index x_stride, const Int8Weights& w, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) {
    for (Index j = 0; j < y.columns; ++j) {
      std::int32_t sum = 0;
      for (Index k = 0; k < w.columns; ++k)
        sum += static_cast<std::int32_t>(x[i * x_stride + k]) * static_cast<std::int32_t>(w.row(j)[k]);
      float value = static_cast<float>(sum) * w.scales[w.row_of(j)];
      if (w.bias != nullptr) value = w.bias[w.row_of(j)] + value;
      y.row(i)[j] = accumulate ? y.row(i)[j] + value : value;
    }
  }
}

}  // namespace ref
}  // namespace heed::kernels
