// Reference loops of kernels/cell.h, for float and double.
#pragma once

#include <cmath>

#include "kernels/ref/elementwise.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void gru_forward(View<T> h_next, View<T> gates, View<T> gx, View<T> gh, View<T> h) {
  const Index size = h.columns;
  for (Index b = 0; b < h.rows; ++b) {
    const T *x = gx.row(b), *y = gh.row(b);
    T* const saved = gates.row(b);
    for (Index j = 0; j < size; ++j) {
      const T r = saved[j] = sigmoid(x[j] + y[j]);
      const T z = saved[size + j] = sigmoid(x[size + j] + y[size + j]);
      const T n = saved[2 * size + j] = std::tanh(x[2 * size + j] + r * y[2 * size + j]);
      h_next.row(b)[j] = (1 - z) * n + z * h.row(b)[j];
    }
  }
}

template <class T>
void gru_backward(View<T> d_gx, View<T> d_gh, View<T> d_h, View<T> d_h_next, View<T> gates, View<T> gh, View<T> h) {
  const Index size = h.columns;
  for (Index b = 0; b < h.rows; ++b) {
    T *dx = d_gx.row(b), *dy = d_gh.row(b);
    for (Index j = 0; j < size; ++j) {
      const T r = gates.row(b)[j], z = gates.row(b)[size + j], n = gates.row(b)[2 * size + j];
      const T d = d_h_next.row(b)[j];
      const T d_z = d * (h.row(b)[j] - n) * z * (1 - z);
      const T d_n = d * (1 - z) * (1 - n * n);
      const T d_r = d_n * gh.row(b)[2 * size + j] * r * (1 - r);
      dx[j] += d_r, dy[j] += d_r;
      dx[size + j] += d_z, dy[size + j] += d_z;
      dx[2 * size + j] += d_n, dy[2 * size + j] += d_n * r;
      if (d_h) d_h.row(b)[j] += d * z;
    }
  }
}

template <class T>
void lstm_forward(View<T> h_next, View<T> c_next, View<T> gates, View<T> gx, View<T> gh, View<T> c) {
  const Index size = c.columns;
  for (Index b = 0; b < c.rows; ++b) {
    const T *x = gx.row(b), *y = gh.row(b);
    T* const saved = gates.row(b);
    for (Index j = 0; j < size; ++j) {
      const T i = saved[j] = sigmoid(x[j] + y[j]);
      const T f = saved[size + j] = sigmoid(x[size + j] + y[size + j]);
      const T g = saved[2 * size + j] = std::tanh(x[2 * size + j] + y[2 * size + j]);
      const T o = saved[3 * size + j] = sigmoid(x[3 * size + j] + y[3 * size + j]);
      c_next.row(b)[j] = f * c.row(b)[j] + i * g;
      h_next.row(b)[j] = o * std::tanh(c_next.row(b)[j]);
    }
  }
}

template <class T>
void lstm_backward(View<T> d_gx, View<T> d_gh, View<T> d_c, View<T> d_h_next, View<T> d_c_next, View<T> gates,
                   View<T> c_next, View<T> c) {
  const Index size = c.columns;
  for (Index b = 0; b < c.rows; ++b) {
    const T* const saved = gates.row(b);
    for (Index j = 0; j < size; ++j) {
      const T i = saved[j], f = saved[size + j], g = saved[2 * size + j], o = saved[3 * size + j];
      const T t = std::tanh(c_next.row(b)[j]);
      const T d = d_h_next.row(b)[j];
      const T d_cell = d * o * (1 - t * t) + (d_c_next ? d_c_next.row(b)[j] : T(0));
      const T d_gates[4] = {d_cell * g * i * (1 - i), d_cell * c.row(b)[j] * f * (1 - f), d_cell * i * (1 - g * g),
                            d * t * o * (1 - o)};
      for (Index k = 0; k < 4; ++k) {
        d_gx.row(b)[k * size + j] += d_gates[k];
        d_gh.row(b)[k * size + j] += d_gates[k];
      }
      if (d_c) d_c.row(b)[j] += d_cell * f;
    }
  }
}

template <class T>
void rnn_forward(View<T> h_next, View<T> gx, View<T> gh) {
  map([](T, T x, T y) { return std::tanh(x + y); }, h_next, gx, gh);
}

}  // namespace heed::kernels::ref
