// Reference loops of kernels/elementwise.h, for float and double.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/view.h"

namespace heed::kernels::ref {

// out[i][j] = f(out[i][j], inputs[i][j]…)
template <class T, class F, class... Inputs>
void map(F f, View<T> out, Inputs... inputs) {
  for (Index i = 0; i < out.rows; ++i)
    for (Index j = 0; j < out.columns; ++j) out.row(i)[j] = f(out.row(i)[j], inputs.row(i)[j]...);
}

template <class T>
void fill(View<T> out, T value) {
  map([=](T) { return value; }, out);
}
// Bound by memory bandwidth, so the float kernel uses this loop too.
template <class T>
void copy(View<T> out, View<T> x) {
  for (Index i = 0; i < out.rows; ++i) std::copy_n(x.row(i), x.columns, out.row(i));
}
template <class T>
void add_to(View<T> out, View<T> x) {
  map([](T o, T a) { return o + a; }, out, x);
}
template <class T>
void add_forward(View<T> out, View<T> a, View<T> b) {
  map([](T, T x, T y) { return x + y; }, out, a, b);
}
template <class T>
void mul_forward(View<T> out, View<T> a, View<T> b) {
  map([](T, T x, T y) { return x * y; }, out, a, b);
}
template <class T>
void add_product_to(View<T> out, View<T> a, View<T> b) {
  map([](T o, T x, T y) { return o + x * y; }, out, a, b);
}

// The float kernel uses this loop too.
template <class T>
void broadcast_forward(View<T> out, View<T> bias) {
  for (Index i = 0; i < out.rows; ++i) std::copy_n(bias.data, out.columns, out.row(i));
}
template <class T>
void broadcast_backward(View<T> d_bias, View<T> d_out) {
  for (Index i = 0; i < d_out.rows; ++i)
    for (Index j = 0; j < d_out.columns; ++j) d_bias.data[j] += d_out.row(i)[j];
}

template <class T>
T sigmoid(T x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

template <class T>
void tanh_forward(View<T> out, View<T> x) {
  map([](T, T a) { return std::tanh(a); }, out, x);
}
template <class T>
void tanh_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map([](T o, T d, T y) { return o + d * (1 - y * y); }, d_x, d_out, out);
}
template <class T>
void sigmoid_forward(View<T> out, View<T> x) {
  map([](T, T a) { return sigmoid(a); }, out, x);
}
template <class T>
void sigmoid_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map([](T o, T d, T y) { return o + d * y * (1 - y); }, d_x, d_out, out);
}
template <class T>
void relu_forward(View<T> out, View<T> x) {
  map([](T, T a) { return a > 0 ? a : T(0); }, out, x);
}
template <class T>
void relu_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map([](T o, T d, T y) { return y > 0 ? o + d : o; }, d_x, d_out, out);
}

template <class T>
double sum_of_squares(View<T> x) {
  double sum = 0;
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; ++j) sum += static_cast<double>(x.row(i)[j]) * static_cast<double>(x.row(i)[j]);
  return sum;
}

}  // namespace heed::kernels::ref
