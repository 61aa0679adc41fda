// Helpers of the SIMD kernels: whole and partial vectors, loops over a row, exp, tanh, sigmoid, reductions.
// Included once per instruction set (see Highway's foreach_target.h), so the guard toggles.
//
// The result of an element depends only on its value, not on its position in the row: the last, partial vector of a row
// goes through the same arithmetic as a whole one. Batches of any size and order therefore give the same bits.
#if defined(HEED_KERNELS_SIMD_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_VECTOR_INL_H_
#undef HEED_KERNELS_SIMD_VECTOR_INL_H_
#else
#define HEED_KERNELS_SIMD_VECTOR_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "kernels/view.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// How many lanes of a vector are used: all, or the first n.
struct Whole {};
struct Part {
  std::size_t n;
};

HWY_INLINE V load(Whole, const float* p, float /*rest*/ = 0.0f) {
  return hn::LoadU(D(), p);
}
HWY_INLINE void store(Whole, V v, float* p) {
  hn::StoreU(v, D(), p);
}

// A partial load never reads past the row; unused lanes hold `rest`.
HWY_INLINE V load(Part part, const float* p, float rest = 0.0f) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  std::fill_n(lanes, hn::Lanes(D()), rest);
  std::copy_n(p, part.n, lanes);
  return hn::Load(D(), lanes);
}
HWY_INLINE void store(Part part, V v, float* p) {
  HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(v, D(), lanes);
  std::copy_n(lanes, part.n, p);
}

// Calls f(part, i) for each vector of a row of n elements; i is its first element, part the lanes used.
template <class F>
HWY_INLINE void for_each(Index n, F f) {
  const Index lanes = static_cast<Index>(hn::Lanes(D()));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) f(Whole{}, i);
  if (i < n) f(Part{static_cast<std::size_t>(n - i)}, i);
}

HWY_INLINE V set(float value) {
  return hn::Set(D(), value);
}

// out += v
template <class P>
HWY_INLINE void accumulate(P part, V v, float* out) {
  store(part, hn::Add(load(part, out), v), out);
}

// 2^k for k in [-126, 127].
HWY_INLINE V power_of_two(hn::Vec<hn::RebindToSigned<D>> k) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(D(), hn::ShiftLeft<23>(hn::Add(k, hn::Set(di, 127))));
}

// e^x = 2^k e^r with r in [-ln2/2, ln2/2]; e^r = 1 + r + r^2 P(r), P by minimax (relative error 3.3e-9). 2^k is
// multiplied in two halves, so that subnormal results are rounded once and overflow gives infinity.
HWY_INLINE V exp(V x) {
  const V bounded = hn::Min(hn::Max(x, set(-104.0f)), set(89.0f));
  const auto k = hn::NearestInt(hn::Mul(bounded, set(1.44269504088896341f)));
  const V kf = hn::ConvertTo(D(), k);
  // ln2 in two parts; the first is short enough for an exact product with k, even without a fused multiply-add.
  V r = hn::NegMulAdd(kf, set(0.693359375f), bounded);
  r = hn::NegMulAdd(kf, set(-2.12194440e-4f), r);
  V p = set(0.0013813267992950566f);
  p = hn::MulAdd(p, r, set(0.008369417527660909f));
  p = hn::MulAdd(p, r, set(0.04166845506071624f));
  p = hn::MulAdd(p, r, set(0.16666514802499374f));
  p = hn::MulAdd(p, r, set(0.49999993055664943f));
  p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), set(1.0f));
  const auto half = hn::ShiftRight<1>(k);
  p = hn::Mul(hn::Mul(p, power_of_two(half)), power_of_two(hn::Sub(k, half)));
  return hn::IfThenElse(hn::IsNaN(x), x, p);
}

// Below 0.625: x + x^3 Q(x^2), Q by minimax (relative error 4.4e-9); above: 1 - 2 / (e^2x + 1).
HWY_INLINE V tanh(V x) {
  const V magnitude = hn::Abs(x);
  const V square = hn::Mul(magnitude, magnitude);
  V q = set(-0.005704987122209978f);
  q = hn::MulAdd(q, square, set(0.020639087350134266f));
  q = hn::MulAdd(q, square, set(-0.053739715114348774f));
  q = hn::MulAdd(q, square, set(0.13331442198462673f));
  q = hn::MulAdd(q, square, set(-0.33333281942020343f));
  const V small = hn::MulAdd(q, hn::Mul(square, magnitude), magnitude);
  const V e = exp(hn::Add(magnitude, magnitude));
  const V large = hn::Sub(set(1.0f), hn::Div(set(2.0f), hn::Add(e, set(1.0f))));
  return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, set(0.625f)), small, large), x);
}

// 1 / (1 + e^-x), computed from e^-|x| so that both tails stay accurate.
HWY_INLINE V sigmoid(V x) {
  const V e = exp(hn::Neg(hn::Abs(x)));
  const V numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(D())), e, set(1.0f));
  return hn::Div(numerator, hn::Add(set(1.0f), e));
}

HWY_INLINE float sum_lanes(V v) {
  return hn::GetLane(hn::SumOfLanes(D(), v));
}

// The sum of f(part, i) over a row; f must return zero in unused lanes.
template <class F>
HWY_INLINE float sum_over(Index n, F f) {
  V sum = hn::Zero(D());
  for_each(n, [&](auto part, Index i) HWY_ATTR { sum = hn::Add(sum, f(part, i)); });
  return sum_lanes(sum);
}

HWY_INLINE float dot(const float* a, const float* b, Index n) {
  V sum = hn::Zero(D());
  for_each(n, [&](auto part, Index i) HWY_ATTR { sum = hn::MulAdd(load(part, a + i), load(part, b + i), sum); });
  return sum_lanes(sum);
}

// out += factor * x
HWY_INLINE void add_scaled(float* out, float factor, const float* x, Index n) {
  const V f = set(factor);
  for_each(n, [&](auto part, Index i)
                  HWY_ATTR { store(part, hn::MulAdd(f, load(part, x + i), load(part, out + i)), out + i); });
}

HWY_INLINE float max_over(const float* x, Index n) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  V largest = set(kLowest);
  for_each(n, [&](auto part, Index i) HWY_ATTR { largest = hn::Max(load(part, x + i, kLowest), largest); });
  return hn::GetLane(hn::MaxOfLanes(D(), largest));
}

// out = e^(x - shift); returns the sum.
HWY_INLINE float exp_shifted(float* out, const float* x, float shift, Index n) {
  constexpr float kLowest = -std::numeric_limits<float>::infinity();
  const V s = set(shift);
  V sum = hn::Zero(D());
  for_each(n, [&](auto part, Index i) HWY_ATTR {
    const V e = exp(hn::Sub(load(part, x + i, kLowest), s));
    store(part, e, out + i);
    sum = hn::Add(sum, e);
  });
  return sum_lanes(sum);
}

HWY_INLINE void scale(float* x, float factor, Index n) {
  const V f = set(factor);
  for_each(n, [&](auto part, Index i) HWY_ATTR { store(part, hn::Mul(load(part, x + i), f), x + i); });
}

// Softmax of one row; `out` may alias `x`.
HWY_INLINE void softmax_row(float* out, const float* x, Index n) {
  if (n == 0) return;
  const float sum = exp_shifted(out, x, max_over(x, n), n);
  scale(out, 1.0f / sum, n);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
