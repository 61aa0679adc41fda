#include "kernels/layer_norm.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/ref/layer_norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/layer_norm.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void layer_norm_forward(View<float> out, View<float> statistics, View<float> x, View<float> gain, View<float> bias) {
  const Index n = x.columns;
  for (Index i = 0; i < x.rows; ++i) {
    const float* const row = x.row(i);
    const float mean =
        sum_over(n, [&](auto part, Index j) HWY_ATTR { return load(part, row + j); }) / static_cast<float>(n);
    const V m = set(mean);
    const float variance = sum_over(n, [&](auto part, Index j) HWY_ATTR {
      const V centered = hn::Sub(load(part, row + j, mean), m);
      return hn::Mul(centered, centered);
    });
    const float scale = 1.0f / std::sqrt(variance / static_cast<float>(n) + static_cast<float>(kLayerNormEpsilon));
    const V s = set(scale);
    for_each(n, [&](auto part, Index j) HWY_ATTR {
      const V normal = hn::Mul(hn::Sub(load(part, row + j), m), s);
      store(part, hn::MulAdd(normal, load(part, gain.data + j), load(part, bias.data + j)), out.row(i) + j);
    });
    statistics.row(i)[0] = mean;
    statistics.row(i)[1] = scale;
  }
}

void layer_norm_backward(View<float> d_x, View<float> d_gain, View<float> d_bias, View<float> d_out, View<float> x,
                         View<float> gain, View<float> statistics) {
  const Index n = x.columns;
  for (Index i = 0; i < x.rows; ++i) {
    const V mean = set(statistics.row(i)[0]), scale = set(statistics.row(i)[1]);
    V sum = hn::Zero(D()), weighted = hn::Zero(D());
    for_each(n, [&](auto part, Index j) HWY_ATTR {
      const V normal = hn::Mul(hn::Sub(load(part, x.row(i) + j), mean), scale);
      const V d_row = load(part, d_out.row(i) + j), d = hn::Mul(d_row, load(part, gain.data + j));
      sum = hn::Add(sum, d);
      weighted = hn::MulAdd(d, normal, weighted);
      store(part, hn::MulAdd(d_row, normal, load(part, d_gain.data + j)), d_gain.data + j);
      accumulate(part, d_row, d_bias.data + j);
    });
    const V mean_d = set(sum_lanes(sum) / static_cast<float>(n));
    const V mean_weighted = set(sum_lanes(weighted) / static_cast<float>(n));
    for_each(n, [&](auto part, Index j) HWY_ATTR {
      const V normal = hn::Mul(hn::Sub(load(part, x.row(i) + j), mean), scale);
      const V d = hn::Mul(load(part, d_out.row(i) + j), load(part, gain.data + j));
      accumulate(part, hn::Mul(scale, hn::Sub(d, hn::MulAdd(normal, mean_weighted, mean_d))), d_x.row(i) + j);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

void check_layer_norm(const Tensor& out, const Tensor& x, const Tensor& gain, const Tensor& bias,
                      const Tensor& statistics) {
  check(x.columns() > 0, "layer_norm: rows without columns");
  check_alike("layer_norm", x, {out});
  check_shape("layer_norm", "gain", gain, 1, x.columns());
  check_shape("layer_norm", "bias", bias, 1, x.columns());
  check_shape("layer_norm", "statistics", statistics, x.rows(), 2);
  check_same_type("layer_norm", {x, gain, bias, statistics});
}

}  // namespace

void layer_norm_forward(Tensor out, Tensor statistics, Tensor x, Tensor gain, Tensor bias) {
  check_layer_norm(out, x, gain, bias, statistics);
  HEED_RUN(layer_norm_forward, x.type(), out, statistics, x, gain, bias);
}

void layer_norm_backward(Tensor d_x, Tensor d_gain, Tensor d_bias, Tensor d_out, Tensor x, Tensor gain,
                         Tensor statistics) {
  check_layer_norm(d_out, x, gain, d_bias, statistics);
  check_layer_norm(d_x, x, d_gain, d_bias, statistics);
  HEED_RUN(layer_norm_backward, x.type(), d_x, d_gain, d_bias, d_out, x, gain, statistics);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
