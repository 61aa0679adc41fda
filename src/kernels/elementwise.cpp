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

// out = f(out, inputs…) element by element, a row at a time.
template <class F, class... Inputs>
HWY_INLINE void map(View<float> out, F f, Inputs... inputs) {
  for (Index r = 0; r < out.rows; ++r) {
    float* const o = out.row(r);
    for_each(out.columns, [&](auto part, Index i)
                              HWY_ATTR { store(part, f(load(part, o + i), load(part, inputs.row(r) + i)...), o + i); });
  }
}

}  // namespace

void Fill(View<float> out, float value) {
  const V v = set(value);
  for (Index r = 0; r < out.rows; ++r)
    for_each(out.columns, [&](auto part, Index i) HWY_ATTR { store(part, v, out.row(r) + i); });
}
void AddTo(View<float> out, View<float> x) {
  map(
      out, [](V o, V a) HWY_ATTR { return hn::Add(o, a); }, x);
}
void ScaleTo(View<float> out, float factor, View<float> x) {
  const V f = set(factor);
  map(
      out, [f](V o, V a) HWY_ATTR { return hn::MulAdd(f, a, o); }, x);
}
void AddForward(View<float> out, View<float> a, View<float> b) {
  map(
      out, [](V, V x, V y) HWY_ATTR { return hn::Add(x, y); }, a, b);
}
void MulForward(View<float> out, View<float> a, View<float> b) {
  map(
      out, [](V, V x, V y) HWY_ATTR { return hn::Mul(x, y); }, a, b);
}
void MulTo(View<float> out, View<float> a, View<float> b) {
  map(
      out, [](V o, V x, V y) HWY_ATTR { return hn::MulAdd(x, y, o); }, a, b);
}
void BroadcastBackward(View<float> d_bias, View<float> d_out) {
  for (Index r = 0; r < d_out.rows; ++r)
    for_each(d_out.columns,
             [&](auto part, Index i) HWY_ATTR { accumulate(part, load(part, d_out.row(r) + i), d_bias.data + i); });
}
void ExpForward(View<float> out, View<float> x) {
  map(
      out, [](V, V a) HWY_ATTR { return exp(a); }, x);
}
void TanhForward(View<float> out, View<float> x) {
  map(
      out, [](V, V a) HWY_ATTR { return tanh(a); }, x);
}
void TanhBackward(View<float> d_x, View<float> d_out, View<float> out) {
  map(
      d_x, [](V o, V d, V y) HWY_ATTR { return hn::MulAdd(d, hn::NegMulAdd(y, y, set(1.0f)), o); }, d_out, out);
}
void SigmoidForward(View<float> out, View<float> x) {
  map(
      out, [](V, V a) HWY_ATTR { return sigmoid(a); }, x);
}
void SigmoidBackward(View<float> d_x, View<float> d_out, View<float> out) {
  map(
      d_x, [](V o, V d, V y) HWY_ATTR { return hn::MulAdd(d, hn::NegMulAdd(y, y, y), o); }, d_out, out);
}
void ReluForward(View<float> out, View<float> x) {
  map(
      out, [](V, V a) HWY_ATTR { return hn::IfThenElseZero(hn::Gt(a, hn::Zero(D())), a); }, x);
}
void ReluBackward(View<float> d_x, View<float> d_out, View<float> out) {
  map(
      d_x, [](V o, V d, V y) HWY_ATTR { return hn::Add(o, hn::IfThenElseZero(hn::Gt(y, hn::Zero(D())), d)); }, d_out,
      out);
}
double SumOfSquares(View<float> x) {
  double sum = 0;
  for (Index r = 0; r < x.rows; ++r) sum += static_cast<double>(dot(x.row(r), x.row(r), x.columns));
  return sum;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HEED_EXPORT(Fill);
HEED_EXPORT(AddTo);
HEED_EXPORT(ScaleTo);
HEED_EXPORT(AddForward);
HEED_EXPORT(MulForward);
HEED_EXPORT(MulTo);
HEED_EXPORT(BroadcastBackward);
HEED_EXPORT(ExpForward);
HEED_EXPORT(TanhForward);
HEED_EXPORT(TanhBackward);
HEED_EXPORT(SigmoidForward);
HEED_EXPORT(SigmoidBackward);
HEED_EXPORT(ReluForward);
HEED_EXPORT(ReluBackward);
HEED_EXPORT(SumOfSquares);

namespace {

void check_alike(const char* operation, const Tensor& out, std::initializer_list<Tensor> inputs) {
  for (const Tensor& x : inputs) {
    check_shape(operation, "an operand", x, out.rows(), out.columns());
    check_same_type(operation, {out, x});
  }
}

}  // namespace

void fill(Tensor out, double value) {
  if (out.type() == DType::f64) return ref::fill<double>(out, value);
  HEED_DISPATCH(Fill)(out, static_cast<float>(value));
}

void copy(Tensor out, Tensor x) {
  check_alike("copy", out, {x});
  if (out.type() == DType::f64) return ref::copy<double>(out, x);
  for (Index r = 0; r < out.rows(); ++r) std::copy_n(x.row<float>(r), x.columns(), out.row<float>(r));
}

void add_to(Tensor out, Tensor x) {
  check_alike("add_to", out, {x});
  if (out.type() == DType::f64) return ref::add_to<double>(out, x);
  HEED_DISPATCH(AddTo)(out, x);
}

void scale_to(Tensor out, double factor, Tensor x) {
  check_alike("scale_to", out, {x});
  if (out.type() == DType::f64) return ref::scale_to<double>(out, factor, x);
  HEED_DISPATCH(ScaleTo)(out, static_cast<float>(factor), x);
}

void add_forward(Tensor out, Tensor a, Tensor b) {
  check_alike("add", out, {a, b});
  if (out.type() == DType::f64) return ref::add_forward<double>(out, a, b);
  HEED_DISPATCH(AddForward)(out, a, b);
}

void mul_forward(Tensor out, Tensor a, Tensor b) {
  check_alike("mul", out, {a, b});
  if (out.type() == DType::f64) return ref::mul_forward<double>(out, a, b);
  HEED_DISPATCH(MulForward)(out, a, b);
}

void mul_to(Tensor out, Tensor a, Tensor b) {
  check_alike("mul_to", out, {a, b});
  if (out.type() == DType::f64) return ref::mul_to<double>(out, a, b);
  HEED_DISPATCH(MulTo)(out, a, b);
}

void broadcast_forward(Tensor out, Tensor bias) {
  check_shape("broadcast", "the row", bias, 1, out.columns());
  check_same_type("broadcast", {out, bias});
  if (out.type() == DType::f64) return ref::broadcast_forward<double>(out, bias);
  for (Index r = 0; r < out.rows(); ++r) std::copy_n(bias.data<float>(), out.columns(), out.row<float>(r));
}

void broadcast_backward(Tensor d_bias, Tensor d_out) {
  check_shape("broadcast", "the row's gradient", d_bias, 1, d_out.columns());
  check_same_type("broadcast", {d_out, d_bias});
  if (d_out.type() == DType::f64) return ref::broadcast_backward<double>(d_bias, d_out);
  HEED_DISPATCH(BroadcastBackward)(d_bias, d_out);
}

void exp_forward(Tensor out, Tensor x) {
  check_alike("exp", out, {x});
  if (out.type() == DType::f64) return ref::exp_forward<double>(out, x);
  HEED_DISPATCH(ExpForward)(out, x);
}

void tanh_forward(Tensor out, Tensor x) {
  check_alike("tanh", out, {x});
  if (out.type() == DType::f64) return ref::tanh_forward<double>(out, x);
  HEED_DISPATCH(TanhForward)(out, x);
}

void tanh_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("tanh", d_x, {d_out, out});
  if (out.type() == DType::f64) return ref::tanh_backward<double>(d_x, d_out, out);
  HEED_DISPATCH(TanhBackward)(d_x, d_out, out);
}

void sigmoid_forward(Tensor out, Tensor x) {
  check_alike("sigmoid", out, {x});
  if (out.type() == DType::f64) return ref::sigmoid_forward<double>(out, x);
  HEED_DISPATCH(SigmoidForward)(out, x);
}

void sigmoid_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("sigmoid", d_x, {d_out, out});
  if (out.type() == DType::f64) return ref::sigmoid_backward<double>(d_x, d_out, out);
  HEED_DISPATCH(SigmoidBackward)(d_x, d_out, out);
}

void relu_forward(Tensor out, Tensor x) {
  check_alike("relu", out, {x});
  if (out.type() == DType::f64) return ref::relu_forward<double>(out, x);
  HEED_DISPATCH(ReluForward)(out, x);
}

void relu_backward(Tensor d_x, Tensor d_out, Tensor out) {
  check_alike("relu", d_x, {d_out, out});
  if (out.type() == DType::f64) return ref::relu_backward<double>(d_x, d_out, out);
  HEED_DISPATCH(ReluBackward)(d_x, d_out, out);
}

double sum_of_squares(Tensor x) {
  if (x.type() == DType::f64) return ref::sum_of_squares<double>(x);
  return HEED_DISPATCH(SumOfSquares)(x);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
