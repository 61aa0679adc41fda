#include "kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/ref/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void SoftmaxForward(View<float> out, View<float> x, Ids lengths) {
  for (Index i = 0; i < x.rows; ++i) {
    softmax_row(out.row(i), x.row(i), lengths[i]);
    std::fill(out.row(i) + lengths[i], out.row(i) + out.columns, 0.0f);
  }
}

void SoftmaxBackward(View<float> d_x, View<float> d_out, View<float> out, Ids lengths) {
  for (Index i = 0; i < d_x.rows; ++i) {
    const V sum = set(dot(out.row(i), d_out.row(i), lengths[i]));
    for_each(lengths[i], [&](auto part, Index j) HWY_ATTR {
      const V y = load(part, out.row(i) + j);
      accumulate(part, hn::Mul(y, hn::Sub(load(part, d_out.row(i) + j), sum)), d_x.row(i) + j);
    });
  }
}

// log of the sum of e^x, without overflow; the row is kept.
float LogSumExp(const float* x, Index n) {
  const float most = max_over(x, n);
  const V shift = set(most);
  const float sum = sum_over(n, [&](auto part, Index i) HWY_ATTR {
    return exp(hn::Sub(load_or(part, x + i, -std::numeric_limits<float>::infinity()), shift));
  });
  return most + std::log(sum);
}

void LogSoftmaxForward(View<float> out, View<float> x) {
  for (Index i = 0; i < x.rows; ++i) {
    const V total = set(LogSumExp(x.row(i), x.columns));
    for_each(x.columns, [&](auto part, Index j)
                            HWY_ATTR { store(part, hn::Sub(load(part, x.row(i) + j), total), out.row(i) + j); });
  }
}

void CrossEntropy(View<float> losses, View<float> logits, Ids labels, CrossEntropyOptions options) {
  const float share = static_cast<float>(options.smoothing / static_cast<double>(logits.columns));
  const float rest = static_cast<float>(1 - options.smoothing), weight = static_cast<float>(options.weight);
  const Index n = logits.columns;
  for (Index i = 0; i < logits.rows; ++i) {
    float* const x = logits.row(i);
    const float most = max_over(x, n), wanted = x[labels[i]];
    // Added up relative to the largest logit, where the sums are small.
    const float spread = share == 0 ? 0 : sum_over(n, [&](auto part, Index j) HWY_ATTR {
      return hn::Sub(set(most), load_or(part, x + j, most));
    });
    const float sum = options.gradient ? exp_shifted(x, x, most, n) : std::exp(LogSumExp(x, n) - most);
    const float log_sum = std::log(sum);
    losses.row(i)[0] = rest * (most - wanted + log_sum) + share * (spread + static_cast<float>(n) * log_sum);
    if (!options.gradient) continue;
    const V factor = set(weight / sum), offset = set(weight * share);
    for_each(n,
             [&](auto part, Index j) HWY_ATTR { store(part, hn::MulSub(factor, load(part, x + j), offset), x + j); });
    x[labels[i]] -= weight * rest;
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HEED_EXPORT(SoftmaxForward);
HEED_EXPORT(SoftmaxBackward);
HEED_EXPORT(LogSoftmaxForward);
HEED_EXPORT(CrossEntropy);

namespace {

void check_lengths(const Tensor& x, Ids lengths) {
  check(static_cast<Index>(lengths.size()) == x.rows(), "softmax: {} lengths for {} rows", lengths.size(), x.rows());
  check_ids("softmax: lengths", lengths, x.columns() + 1);
}

}  // namespace

void softmax_forward(Tensor out, Tensor x, Ids lengths) {
  check_shape("softmax", "the output", out, x.rows(), x.columns());
  check_same_type("softmax", {out, x});
  check_lengths(x, lengths);
  if (x.type() == DType::f64) return ref::softmax_forward<double>(out, x, lengths);
  HEED_DISPATCH(SoftmaxForward)(out, x, lengths);
}

void softmax_backward(Tensor d_x, Tensor d_out, Tensor out, Ids lengths) {
  check_shape("softmax", "the gradient", d_x, out.rows(), out.columns());
  check_shape("softmax", "the output's gradient", d_out, out.rows(), out.columns());
  check_same_type("softmax", {d_x, d_out, out});
  check_lengths(out, lengths);
  if (out.type() == DType::f64) return ref::softmax_backward<double>(d_x, d_out, out, lengths);
  HEED_DISPATCH(SoftmaxBackward)(d_x, d_out, out, lengths);
}

void log_softmax_forward(Tensor out, Tensor x) {
  check_shape("log_softmax", "the output", out, x.rows(), x.columns());
  check_same_type("log_softmax", {out, x});
  check(x.columns() > 0, "log_softmax: rows without columns");
  if (x.type() == DType::f64) return ref::log_softmax_forward<double>(out, x);
  HEED_DISPATCH(LogSoftmaxForward)(out, x);
}

Index argmax(Tensor x, Index row) {
  const auto first_of_largest = [&](const auto* numbers) {
    return std::max_element(numbers, numbers + x.columns()) - numbers;
  };
  return x.type() == DType::f32 ? first_of_largest(x.row<float>(row)) : first_of_largest(x.row<double>(row));
}

void cross_entropy(Tensor losses, Tensor logits, Ids labels, CrossEntropyOptions options) {
  check_shape("cross_entropy", "losses", losses, logits.rows(), 1);
  check_same_type("cross_entropy", {losses, logits});
  check(static_cast<Index>(labels.size()) == logits.rows(), "cross_entropy: {} labels for {} rows", labels.size(),
        logits.rows());
  check_ids("cross_entropy: labels", labels, logits.columns());
  check(options.smoothing >= 0 && options.smoothing < 1, "cross_entropy: smoothing is {}, expected 0 to below 1",
        options.smoothing);
  if (logits.type() == DType::f64) return ref::cross_entropy<double>(losses, logits, labels, options);
  HEED_DISPATCH(CrossEntropy)(losses, logits, labels, options);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
