// Reference loops of kernels/layer_norm.h, for float and double.
#pragma once

#include <cmath>

#include "kernels/layer_norm.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void layer_norm_forward(View<T> out, View<T> statistics, View<T> x, View<T> gain, View<T> bias) {
  const Index n = x.columns;
  for (Index i = 0; i < x.rows; ++i) {
    T mean = 0, variance = 0;
    for (Index j = 0; j < n; ++j) mean += x.row(i)[j];
    mean /= static_cast<T>(n);
    for (Index j = 0; j < n; ++j) variance += (x.row(i)[j] - mean) * (x.row(i)[j] - mean);
    const T scale = 1 / std::sqrt(variance / static_cast<T>(n) + static_cast<T>(kLayerNormEpsilon));
    for (Index j = 0; j < n; ++j) out.row(i)[j] = (x.row(i)[j] - mean) * scale * gain.data[j] + bias.data[j];
    statistics.row(i)[0] = mean;
    statistics.row(i)[1] = scale;
  }
}

template <class T>
void layer_norm_backward(View<T> d_x, View<T> d_gain, View<T> d_bias, View<T> d_out, View<T> x, View<T> gain,
                         View<T> statistics) {
  const Index n = x.columns;
  for (Index i = 0; i < x.rows; ++i) {
    const T mean = statistics.row(i)[0], scale = statistics.row(i)[1];
    T sum = 0, weighted = 0;  // over the row: d, and d times the normalized x
    for (Index j = 0; j < n; ++j) {
      const T normal = (x.row(i)[j] - mean) * scale, d = d_out.row(i)[j] * gain.data[j];
      sum += d;
      weighted += d * normal;
      d_gain.data[j] += d_out.row(i)[j] * normal;
      d_bias.data[j] += d_out.row(i)[j];
    }
    for (Index j = 0; j < n; ++j) {
      const T normal = (x.row(i)[j] - mean) * scale, d = d_out.row(i)[j] * gain.data[j];
      d_x.row(i)[j] += scale * (d - (sum + normal * weighted) / static_cast<T>(n));
    }
  }
}

}  // namespace heed::kernels::ref
