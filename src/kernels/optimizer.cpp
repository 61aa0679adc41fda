#include "kernels/optimizer.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/ref/optimizer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/optimizer.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void adam_update(View<float> p, View<float> m, View<float> v, View<float> gradient, const AdamStep& s) {
  const V rate = set(static_cast<float>(s.rate / (1 - std::pow(s.beta1, s.t))));
  const V correction = set(static_cast<float>(1 / std::sqrt(1 - std::pow(s.beta2, s.t))));
  const V b1 = set(static_cast<float>(s.beta1)), b2 = set(static_cast<float>(s.beta2));
  const V rest1 = set(static_cast<float>(1 - s.beta1)), rest2 = set(static_cast<float>(1 - s.beta2));
  const V keep = set(static_cast<float>(1 - s.rate * s.decay)), epsilon = set(static_cast<float>(s.epsilon));
  const V factor = set(static_cast<float>(s.scale));
  for (Index i = 0; i < p.rows; ++i) {
    for_each(p.columns, [&](auto part, Index j) HWY_ATTR {
      const V g = hn::Mul(load(part, gradient.row(i) + j), factor);
      const V first = hn::MulAdd(b1, load(part, m.row(i) + j), hn::Mul(rest1, g));
      const V second = hn::MulAdd(b2, load(part, v.row(i) + j), hn::Mul(rest2, hn::Mul(g, g)));
      store(part, first, m.row(i) + j);
      store(part, second, v.row(i) + j);
      const V change = hn::Div(hn::Mul(rate, first), hn::MulAdd(hn::Sqrt(second), correction, epsilon));
      store(part, hn::MulSub(load(part, p.row(i) + j), keep, change), p.row(i) + j);
    });
  }
}

void sgd_update(View<float> p, View<float> velocity, View<float> gradient, const SgdStep& s) {
  const V rate = set(static_cast<float>(s.rate)), momentum = set(static_cast<float>(s.momentum));
  const V factor = set(static_cast<float>(s.scale));
  for (Index i = 0; i < p.rows; ++i) {
    for_each(p.columns, [&](auto part, Index j) HWY_ATTR {
      V g = hn::Mul(load(part, gradient.row(i) + j), factor);
      if (velocity) {
        g = hn::MulAdd(momentum, load(part, velocity.row(i) + j), g);
        store(part, g, velocity.row(i) + j);
      }
      store(part, hn::NegMulAdd(rate, g, load(part, p.row(i) + j)), p.row(i) + j);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

void adam_update(Tensor p, Tensor m, Tensor v, Tensor gradient, const AdamStep& step) {
  check_alike("adam", p, {m, v, gradient});
  check(step.t >= 1, "adam: step {}, expected 1 or more", step.t);
  HEED_RUN(adam_update, p.type(), p, m, v, gradient, step);
}

void sgd_update(Tensor p, Tensor velocity, Tensor gradient, const SgdStep& step) {
  check_alike("sgd", p, {gradient});
  if (velocity) check_alike("sgd", p, {velocity});
  HEED_RUN(sgd_update, p.type(), p, velocity, gradient, step);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
