// Reference loops for float and double of kernels/elementwise.h.
#pragma once

#include <cmath>

#include "kernels/view.h"

namespace heed::kernels::ref {

// out[i][j] = f(out[i][j], inputs[i][j]…)
template <class T, class F, class... Inputs>
void map(View<T> out, F f, Inputs... inputs) {
  for (Index i = 0; i < out.rows; ++i)
    for (Index j = 0; j < out.columns; ++j) out.row(i)[j] = f(out.row(i)[j], inputs.row(i)[j]...);
}

template <class T>
void fill(View<T> out, T value) {
  map(out, [=](T) { return value; });
}
template <class T>
void copy(View<T> out, View<T> x) {
  map(
      out, [](T, T a) { return a; }, x);
}
template <class T>
void add_to(View<T> out, View<T> x) {
  map(
      out, [](T o, T a) { return o + a; }, x);
}
template <class T>
void scale_to(View<T> out, T factor, View<T> x) {
  map(
      out, [=](T o, T a) { return o + factor * a; }, x);
}
template <class T>
void add_forward(View<T> out, View<T> a, View<T> b) {
  map(
      out, [](T, T x, T y) { return x + y; }, a, b);
}
template <class T>
void mul_forward(View<T> out, View<T> a, View<T> b) {
  map(
      out, [](T, T x, T y) { return x * y; }, a, b);
}
template <class T>
void mul_to(View<T> out, View<T> a, View<T> b) {
  map(
      out, [](T o, T x, T y) { return o + x * y; }, a, b);
}

template <class T>
void broadcast_forward(View<T> out, View<T> bias) {
  for (Index i = 0; i < out.rows; ++i)
    for (Index j = 0; j < out.columns; ++j) out.row(i)[j] = bias.data[j];
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
void exp_forward(View<T> out, View<T> x) {
  map(
      out, [](T, T a) { return std::exp(a); }, x);
}
template <class T>
void tanh_forward(View<T> out, View<T> x) {
  map(
      out, [](T, T a) { return std::tanh(a); }, x);
}
template <class T>
void tanh_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map(
      d_x, [](T o, T d, T y) { return o + d * (1 - y * y); }, d_out, out);
}
template <class T>
void sigmoid_forward(View<T> out, View<T> x) {
  map(
      out, [](T, T a) { return sigmoid(a); }, x);
}
template <class T>
void sigmoid_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map(
      d_x, [](T o, T d, T y) { return o + d * y * (1 - y); }, d_out, out);
}
template <class T>
void relu_forward(View<T> out, View<T> x) {
  map(
      out, [](T, T a) { return a > 0 ? a : T(0); }, x);
}
template <class T>
void relu_backward(View<T> d_x, View<T> d_out, View<T> out) {
  map(
      d_x, [](T o, T d, T y) { return y > 0 ? o + d : o; }, d_out, out);
}

template <class T>
double sum_of_squares(View<T> x) {
  double sum = 0;
  for (Index i = 0; i < x.rows; ++i)
    for (Index j = 0; j < x.columns; ++j) sum += static_cast<double>(x.row(i)[j]) * static_cast<double>(x.row(i)[j]);
  return sum;
}

}  // namespace heed::kernels::ref
