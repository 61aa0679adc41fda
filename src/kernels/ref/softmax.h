// Reference loops of kernels/softmax.h, for float and double.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/softmax.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

// `out` may alias `x`.
template <class T>
void softmax_row(T* out, const T* x, Index n) {
  if (n == 0) return;
  const T largest = *std::max_element(x, x + n);
  T sum = 0;
  for (Index j = 0; j < n; ++j) sum += out[j] = std::exp(x[j] - largest);
  for (Index j = 0; j < n; ++j) out[j] /= sum;
}

template <class T>
void softmax_forward(View<T> out, View<T> x, Ids lengths) {
  for (Index i = 0; i < x.rows; ++i) {
    softmax_row(out.row(i), x.row(i), lengths[i]);
    std::fill(out.row(i) + lengths[i], out.row(i) + out.columns, T(0));
  }
}

template <class T>
void softmax_backward(View<T> d_x, View<T> d_out, View<T> out, Ids lengths) {
  for (Index i = 0; i < d_x.rows; ++i) {
    T sum = 0;
    for (Index j = 0; j < lengths[i]; ++j) sum += out.row(i)[j] * d_out.row(i)[j];
    for (Index j = 0; j < lengths[i]; ++j) d_x.row(i)[j] += out.row(i)[j] * (d_out.row(i)[j] - sum);
  }
}

template <class T>
T log_sum_exp(const T* x, Index n) {
  const T largest = *std::max_element(x, x + n);
  T sum = 0;
  for (Index j = 0; j < n; ++j) sum += std::exp(x[j] - largest);
  return largest + std::log(sum);
}

template <class T>
void log_softmax_forward(View<T> out, View<T> x) {
  for (Index i = 0; i < x.rows; ++i) {
    const T total = log_sum_exp(x.row(i), x.columns);
    for (Index j = 0; j < x.columns; ++j) out.row(i)[j] = x.row(i)[j] - total;
  }
}

template <class T>
void cross_entropy(View<T> losses, View<T> logits, Ids labels, CrossEntropyOptions options) {
  const T every = static_cast<T>(options.smoothing) / static_cast<T>(logits.columns);
  const T extra = 1 - static_cast<T>(options.smoothing);
  for (Index i = 0; i < logits.rows; ++i) {
    T* const x = logits.row(i);
    const T total = log_sum_exp(x, logits.columns);
    T loss = extra * (total - x[labels[i]]);
    if (every != 0)
      for (Index j = 0; j < logits.columns; ++j) loss += every * (total - x[j]);
    losses.row(i)[0] = loss;
    if (!options.gradient) continue;
    const T weight = static_cast<T>(options.weight);
    for (Index j = 0; j < logits.columns; ++j) x[j] = weight * (std::exp(x[j] - total) - every);
    x[labels[i]] -= weight * extra;
  }
}

}  // namespace heed::kernels::ref
