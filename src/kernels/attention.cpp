#include "kernels/attention.h"

#include "kernels/dispatch.h"
#include "kernels/ref/attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void additive_score_forward(View<float> scores, View<float> keys, View<float> query, View<float> v, View<float> bias,
                            const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    const float* const q = query.row(b);
    for (Index s = 0; s < ranges.length[b]; ++s) {
      const float* const key = keys.row(ranges.begin[b] + s);
      const float sum = sum_over(keys.columns, [&](auto part, Index j) HWY_ATTR {
        return hn::Mul(load(part, v.data + j), tanh(hn::Add(load(part, key + j), load(part, q + j))));
      });
      scores.row(b)[s] = bias ? sum + bias.data[0] : sum;
    }
  }
}

// The tanh is computed again, because keeping it would take B * S * A floats per step.
void additive_score_backward(View<float> d_keys, View<float> d_query, View<float> d_v, View<float> d_bias,
                             View<float> d_scores, View<float> keys, View<float> query, View<float> v,
                             const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    const float* const q = query.row(b);
    for (Index s = 0; s < ranges.length[b]; ++s) {
      const Index row = ranges.begin[b] + s;
      const V d = set(d_scores.row(b)[s]);
      if (d_bias) d_bias.data[0] += d_scores.row(b)[s];
      for_each(keys.columns, [&](auto part, Index j) HWY_ATTR {
        const V t = tanh(hn::Add(load(part, keys.row(row) + j), load(part, q + j)));
        const V d_t = hn::Mul(d, t);
        if (d_v) accumulate(part, d_t, d_v.data + j);
        // d v (1 - t^2)
        const V inner = hn::Mul(load(part, v.data + j), hn::NegMulAdd(d_t, t, d));
        if (d_keys) accumulate(part, inner, d_keys.row(row) + j);
        if (d_query) accumulate(part, inner, d_query.row(b) + j);
      });
    }
  }
}

void dot_score_forward(View<float> scores, View<float> keys, View<float> query, float scale, const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b)
    for (Index s = 0; s < ranges.length[b]; ++s)
      scores.row(b)[s] = scale * dot(keys.row(ranges.begin[b] + s), query.row(b), keys.columns);
}

void dot_score_backward(View<float> d_keys, View<float> d_query, View<float> d_scores, View<float> keys,
                        View<float> query, float scale, const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      const Index row = ranges.begin[b] + s;
      const float d = scale * d_scores.row(b)[s];
      if (d_keys) add_scaled(d_keys.row(row), d, query.row(b), keys.columns);
      if (d_query) add_scaled(d_query.row(b), d, keys.row(row), keys.columns);
    }
  }
}

void attend_forward(View<float> context, View<float> weights, View<float> scores, View<float> values,
                    const RowRanges& ranges, Support support) {
  for (Index b = 0; b < context.rows; ++b) {
    const Index length = ranges.length[b], support_size = support == Support::sentence ? length : scores.columns;
    float* const w = weights.row(b);
    softmax_row(w, scores.row(b), support_size);
    std::fill(w + support_size, w + weights.columns, 0.0f);
    for_each(context.columns, [&](auto part, Index j) HWY_ATTR {
      V sum = hn::Zero(D());
      for (Index s = 0; s < length; ++s)
        sum = hn::MulAdd(set(w[s]), load(part, values.row(ranges.begin[b] + s) + j), sum);
      store(part, sum, context.row(b) + j);
    });
  }
}

void attend_backward(View<float> d_values, View<float> d_scores, View<float> d_context, View<float> d_weights,
                     View<float> weights, View<float> values, const RowRanges& ranges, Support support) {
  for (Index b = 0; b < d_context.rows; ++b) {
    const Index length = ranges.length[b], support_size = support == Support::sentence ? length : weights.columns;
    const float* const w = weights.row(b);
    float* const d = d_scores.row(b);  // holds the gradient of the weights first, then that of the scores
    std::fill(d, d + d_scores.columns, 0.0f);
    for (Index s = 0; s < length; ++s) {
      const Index row = ranges.begin[b] + s;
      d[s] = dot(d_context.row(b), values.row(row), values.columns);
      if (d_values) add_scaled(d_values.row(row), w[s], d_context.row(b), values.columns);
    }
    if (d_weights) add_scaled(d, 1.0f, d_weights.row(b), support_size);
    const V sum = set(dot(w, d, support_size));
    for_each(support_size, [&](auto part, Index s) HWY_ATTR {
      store(part, hn::Mul(load(part, w + s), hn::Sub(load(part, d + s), sum)), d + s);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

void check_scores(const char* operation, const Tensor& scores, const Tensor& keys, const Tensor& query,
                  const RowRanges& ranges) {
  check_shape(operation, "scores", scores, query.rows(), -1);
  check_shape(operation, "query", query, -1, keys.columns());
  check_same_type(operation, {scores, keys, query});
  check_row_ranges(operation, ranges, query.rows(), keys.rows());
  check_ids(operation, ranges.length, scores.columns() + 1);
}

}  // namespace

void additive_score_forward(Tensor scores, Tensor keys, Tensor query, Tensor v, Tensor bias, const RowRanges& ranges) {
  check_scores("additive score", scores, keys, query, ranges);
  check_shape("additive score", "v", v, 1, keys.columns());
  if (bias) check_shape("additive score", "bias", bias, 1, 1);
  check_same_type("additive score", {keys, v, bias});
  HEED_RUN(additive_score_forward, keys.type(), scores, keys, query, v, bias, ranges);
}

void additive_score_backward(Tensor d_keys, Tensor d_query, Tensor d_v, Tensor d_bias, Tensor d_scores, Tensor keys,
                             Tensor query, Tensor v, const RowRanges& ranges) {
  check_scores("additive score", d_scores, keys, query, ranges);
  if (d_keys) check_alike("additive score", keys, {d_keys});
  if (d_query) check_alike("additive score", query, {d_query});
  if (d_v) check_alike("additive score", v, {d_v});
  HEED_RUN(additive_score_backward, keys.type(), d_keys, d_query, d_v, d_bias, d_scores, keys, query, v, ranges);
}

void dot_score_forward(Tensor scores, Tensor keys, Tensor query, double scale, const RowRanges& ranges) {
  check_scores("dot score", scores, keys, query, ranges);
  HEED_RUN(dot_score_forward, keys.type(), scores, keys, query, scale, ranges);
}

void dot_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, Tensor keys, Tensor query, double scale,
                        const RowRanges& ranges) {
  check_scores("dot score", d_scores, keys, query, ranges);
  if (d_keys) check_alike("dot score", keys, {d_keys});
  if (d_query) check_alike("dot score", query, {d_query});
  HEED_RUN(dot_score_backward, keys.type(), d_keys, d_query, d_scores, keys, query, scale, ranges);
}

void linear_score_forward(Tensor scores, Tensor keys, Tensor query, const RowRanges& ranges) {
  check_scores("linear score", scores, keys, query, ranges);
  check_shape("linear score", "keys", keys, -1, 1);
  HEED_RUN_REF(linear_score_forward, keys.type(), scores, keys, query, ranges);
}

void linear_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, const RowRanges& ranges) {
  if (d_keys && d_query) check_scores("linear score", d_scores, d_keys, d_query, ranges);
  HEED_RUN_REF(linear_score_backward, d_scores.type(), d_keys, d_query, d_scores, ranges);
}

void guide_forward(Tensor losses, Tensor weights, Guides guides) {
  check_shape("guide", "losses", losses, weights.rows(), 1);
  check_same_type("guide", {losses, weights});
  for (const Guide& g : guides)
    check(g.row >= 0 && g.row < weights.rows() && g.column >= 0 && g.column < weights.columns(),
          "guide: row {}, column {} of weights [{},{}]", g.row, g.column, weights.rows(), weights.columns());
  HEED_RUN_REF(guide_forward, weights.type(), losses, weights, guides);
}

void guide_backward(Tensor d_weights, Tensor weights, Guides guides, double scale) {
  check_alike("guide", weights, {d_weights});
  HEED_RUN_REF(guide_backward, weights.type(), d_weights, weights, guides, scale);
}

void attend_forward(Tensor context, Tensor weights, Tensor scores, Tensor values, const RowRanges& ranges,
                    Support support) {
  check_shape("attend", "context", context, scores.rows(), values.columns());
  check_alike("attend", scores, {weights});
  check_same_type("attend", {context, scores, values});
  check_row_ranges("attend", ranges, scores.rows(), values.rows());
  check_ids("attend: lengths", ranges.length, scores.columns() + 1);
  HEED_RUN(attend_forward, values.type(), context, weights, scores, values, ranges, support);
}

void attend_backward(Tensor d_values, Tensor d_scores, Tensor d_context, Tensor d_weights, Tensor weights,
                     Tensor values, const RowRanges& ranges, Support support) {
  check_shape("attend", "the context's gradient", d_context, weights.rows(), values.columns());
  if (d_values) check_alike("attend", values, {d_values});
  check_alike("attend", weights, {d_scores});
  if (d_weights) check_alike("attend", weights, {d_weights});
  check_row_ranges("attend", ranges, weights.rows(), values.rows());
  HEED_RUN(attend_backward, values.type(), d_values, d_scores, d_context, d_weights, weights, values, ranges, support);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
