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

void softmax_forward(View<float> out, View<float> x, Ids lengths) {
  for (Index i = 0; i < x.rows; ++i) {
    softmax_row(out.row(i), x.row(i), lengths[i]);
    std::fill(out.row(i) + lengths[i], out.row(i) + out.columns, 0.0f);
  }
}

void softmax_backward(View<float> d_x, View<float> d_out, View<float> out, Ids lengths) {
  for (Index i = 0; i < d_x.rows; ++i) {
    const V sum = set(dot(out.row(i), d_out.row(i), lengths[i]));
    for_each(lengths[i], [&](auto part, Index j) HWY_ATTR {
      const V y = load(part, out.row(i) + j);
      accumulate(part, hn::Mul(y, hn::Sub(load(part, d_out.row(i) + j), sum)), d_x.row(i) + j);
    });
  }
}

// log of the sum of e^x, without overflow.
float log_sum_exp(const float* x, Index n) {
  const float largest = max_over(x, n);
  const V shift = set(largest);
  const float sum = sum_over(n, [&](auto part, Index i) HWY_ATTR {
    return exp(hn::Sub(load(part, x + i, -std::numeric_limits<float>::infinity()), shift));
  });
  return largest + std::log(sum);
}

void log_softmax_forward(View<float> out, View<float> x) {
  for (Index i = 0; i < x.rows; ++i) {
    const V total = set(log_sum_exp(x.row(i), x.columns));
    for_each(x.columns, [&](auto part, Index j)
                            HWY_ATTR { store(part, hn::Sub(load(part, x.row(i) + j), total), out.row(i) + j); });
  }
}

void cross_entropy(View<float> losses, View<float> logits, Ids labels, CrossEntropyOptions options) {
  // The target distribution: `every` for every word, and `extra` more for the label.
  const float every = static_cast<float>(options.smoothing / static_cast<double>(logits.columns));
  const float extra = static_cast<float>(1 - options.smoothing), weight = static_cast<float>(options.weight);
  const Index n = logits.columns;
  for (Index i = 0; i < logits.rows; ++i) {
    float* const x = logits.row(i);
    const float largest = max_over(x, n), label = x[labels[i]];
    // Relative to the largest logit, so that the sums stay small.
    const float spread = every == 0 ? 0 : sum_over(n, [&](auto part, Index j) HWY_ATTR {
      return hn::Sub(set(largest), load(part, x + j, largest));
    });
    const float sum = options.gradient ? exp_shifted(x, x, largest, n) : std::exp(log_sum_exp(x, n) - largest);
    const float log_sum = std::log(sum);
    losses.row(i)[0] = extra * (largest - label + log_sum) + every * (spread + static_cast<float>(n) * log_sum);
    if (!options.gradient) continue;
    const V factor = set(weight / sum), offset = set(weight * every);
    for_each(n,
             [&](auto part, Index j) HWY_ATTR { store(part, hn::MulSub(factor, load(part, x + j), offset), x + j); });
    x[labels[i]] -= weight * extra;
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

void check_lengths(const Tensor& x, Ids lengths) {
  check(static_cast<Index>(lengths.size()) == x.rows(), "softmax: {} lengths for {} rows", lengths.size(), x.rows());
  check_ids("softmax: lengths", lengths, x.columns() + 1);
}

}  // namespace

void softmax_forward(Tensor out, Tensor x, Ids lengths) {
  check_alike("softmax", x, {out});
  check_lengths(x, lengths);
  HEED_RUN(softmax_forward, x.type(), out, x, lengths);
}

void softmax_backward(Tensor d_x, Tensor d_out, Tensor out, Ids lengths) {
  check_alike("softmax", out, {d_x, d_out});
  check_lengths(out, lengths);
  HEED_RUN(softmax_backward, out.type(), d_x, d_out, out, lengths);
}

void log_softmax_forward(Tensor out, Tensor x) {
  check_alike("log_softmax", x, {out});
  check(x.columns() > 0, "log_softmax: rows without columns");
  HEED_RUN(log_softmax_forward, x.type(), out, x);
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
  HEED_RUN(cross_entropy, logits.type(), losses, logits, labels, options);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
