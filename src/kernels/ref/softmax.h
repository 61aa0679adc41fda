// Plain loops for float and double; the twins of kernels/softmax.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/softmax.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

// In place allowed.
template <class T>
void softmax_row(T* out, const T* x, Index n) {
  if (n == 0) return;
  const T most = *std::max_element(x, x + n);
  T sum = 0;
  for (Index j = 0; j < n; ++j) sum += out[j] = std::exp(x[j] - most);
  for (Index j = 0; j < n; ++j) out[j] /= sum;
}

template <class T>
void softmax_row_backward(T* d_x, const T* d_out, const T* out, Index n) {
  T sum = 0;
  for (Index j = 0; j < n; ++j) sum += out[j] * d_out[j];
  for (Index j = 0; j < n; ++j) d_x[j] += out[j] * (d_out[j] - sum);
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
  for (Index i = 0; i < d_x.rows; ++i) softmax_row_backward(d_x.row(i), d_out.row(i), out.row(i), lengths[i]);
}

template <class T>
T log_sum_exp(const T* x, Index n) {
  const T most = *std::max_element(x, x + n);
  T sum = 0;
  for (Index j = 0; j < n; ++j) sum += std::exp(x[j] - most);
  return most + std::log(sum);
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
  const T share = static_cast<T>(options.smoothing) / static_cast<T>(logits.columns);
  const T rest = 1 - static_cast<T>(options.smoothing);
  for (Index i = 0; i < logits.rows; ++i) {
    T* const x = logits.row(i);
    const T total = log_sum_exp(x, logits.columns);
    T loss = rest * (total - x[labels[i]]);
    if (share != 0)
      for (Index j = 0; j < logits.columns; ++j) loss += share * (total - x[j]);
    losses.row(i)[0] = loss;
    if (!options.gradient) continue;
    const T weight = static_cast<T>(options.weight);
    for (Index j = 0; j < logits.columns; ++j) x[j] = weight * (std::exp(x[j] - total) - share);
    x[labels[i]] -= weight * rest;
  }
}

}  // namespace heed::kernels::ref
