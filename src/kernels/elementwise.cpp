#include "kernels/elementwise.h"

#include "kernels/dispatch.h"
#include "kernels/ref/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// out = f(out, inputs…), element by element.
template <class F, class... Inputs>
HWY_INLINE void map(F f, View<float> out, Inputs... inputs) {
  for (Index r = 0; r < out.rows; ++r) {
    float* const o = out.row(r);
    for_each(out.columns, [&](auto part, Index i)
                              HWY_ATTR { store(part, f(load(part, o + i), load(part, inputs.row(r) + i)...), o + i); });
  }
}

}  // namespace

void fill(View<float> out, float value) {
  const V v = set(value);
  for (Index r = 0; r < out.rows; ++r)
    for_each(out.columns, [&](auto part, Index i) HWY_ATTR { store(part, v, out.row(r) + i); });
}
void add_to(View<float> out, View<float> x) {
  map([](V o, V a) HWY_ATTR { return hn::Add(o, a); }, out, x);
}
void add_forward(View<float> out, View<float> a, View<float> b) {
  map([](V, V x, V y) HWY_ATTR { return hn::Add(x, y); }, out, a, b);
}
void mul_forward(View<float> out, View<float> a, View<float> b) {
  map([](V, V x, V y) HWY_ATTR { return hn::Mul(x, y); }, out, a, b);
}
void add_product_to(View<float> out, View<float> a, View<float> b) {
  map([](V o, V x, V y) HWY_ATTR { return hn::MulAdd(x, y, o); }, out, a, b);
}
void broadcast_backward(View<float> d_bias, View<float> d_out) {
  for (Index r = 0; r < d_out.rows; ++r)
    for_each(d_out.columns,
             [&](auto part, Index i) HWY_ATTR { accumulate(part, load(part, d_out.row(r) + i), d_bias.data + i); });
}
void tanh_forward(View<float> out, View<float> x) {
  map([](V, V a) HWY_ATTR { return tanh(a); }, out, x);
}
void tanh_backward(View<float> d_x, View<float> d_out, View<float> out) {
  map([](V o, V d, V y) HWY_ATTR { return hn::MulAdd(d, hn::NegMulAdd(y, y, set(1.0f)), o); }, d_x, d_out, out);
}
void sigmoid_forward(View<float> out, View<float> x) {
  map([](V, V a) HWY_ATTR { return sigmoid(a); }, out, x);
}
void sigmoid_backward(View<float> d_x, View<float> d_out, View<float> out) {
  map([](V o, V d, V y) HWY_ATTR { return hn::MulAdd(d, hn::NegMulAdd(y, y, y), o); }, d_x, d_out, out);
}
void relu_forward(View<float> out, View<float> x) {
  map([](V, V a) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, hn::Zero(D())), a); }, out, x);
}
void relu_backward(View<float> d_x, View<float> d_out, View<float> out) {
  map([](V o, V d, V y) HWY_ATTR { return hn::Add(o, hn::IfThenElseZero(hn::Gt(y, hn::Zero(D())), d)); }, d_x, d_out,
      out);
}
double sum_of_squares(View<float> x) {
  double sum = 0;
  for (Index r = 0; r < x.rows; ++r) sum += static_cast<double>(dot(x.row(r), x.row(r), x.columns));
  return sum;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

void fill(Tensor out, double value) {
  HEED_RUN(fill, out.type(), out, value);
}

void copy(Tensor out, Tensor x) {
  check_alike("copy", out, {x});
  HEED_RUN_REF(copy, out.type(), out, x);
}

void add_to(Tensor out, Tensor x) {
  check_alike("add_to", out, {x});
  HEED_RUN(add_to, out.type(), out, x);
}

void add_forward(Tensor out, Tensor a, Tensor b) {
  check_alike("add", out, {a, b});
  HEED_RUN(add_forward, out.type(), out, a, b);
}

void mul_forward(Tensor out, Tensor a, Tensor b) {
  check_alike("mul", out, {a, b});
  HEED_RUN(mul_forward, out.type(), out, a, b);
}

void add_product_to(Tensor out, Tensor a, Tensor b) {
  check_alike("add_product_to", out, {a, b});
  HEED_RUN(add_product_to, out.type(), out, a, b);
}

void broadcast_forward(Tensor out, Tensor bias) {
  check_shape("broadcast", "the row", bias, 1, out.columns());
  check_same_type("broadcast", {out, bias});
  HEED_RUN_REF(broadcast_forward, out.type(), out, bias);
}

void broadcast_backward(Tensor d_bias, Tensor d_out) {
  check_shape("broadcast", "the row's gradient", d_bias, 1, d_out.columns());
  check_same_type("broadcast", {d_out, d_bias});
  HEED_RUN(broadcast_backward, d_out.type(), d_bias, d_out);
}

void tanh_forward(Tensor out, Tensor x) {
  check_alike("tanh", out, {x});
  HEED_RUN(tanh_forward, out.type(), out, x);
}

void tanh_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("tanh", d_x, {d_out, out});
  HEED_RUN(tanh_backward, out.type(), d_x, d_out, out);
}

void sigmoid_forward(Tensor out, Tensor x) {
  check_alike("sigmoid", out, {x});
  HEED_RUN(sigmoid_forward, out.type(), out, x);
}

void sigmoid_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("sigmoid", d_x, {d_out, out});
  HEED_RUN(sigmoid_backward, out.type(), d_x, d_out, out);
}

void relu_forward(Tensor out, Tensor x) {
  check_alike("relu", out, {x});
  HEED_RUN(relu_forward, out.type(), out, x);
}

void relu_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("relu", d_x, {d_out, out});
  HEED_RUN(relu_backward, out.type(), d_x, d_out, out);
}

double sum_of_squares(Tensor x) {
  return HEED_RUN(sum_of_squares, x.type(), x);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
