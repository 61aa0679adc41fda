// Reference loops of kernels/attention.h, for float and double.
#pragma once

#include <cmath>

#include "kernels/attention.h"
#include "kernels/ref/softmax.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void additive_score_forward(View<T> scores, View<T> keys, View<T> query, View<T> v, View<T> bias,
                            const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      T sum = bias ? bias.data[0] : T(0);
      for (Index j = 0; j < keys.columns; ++j)
        sum += v.data[j] * std::tanh(keys.row(ranges.begin[b] + s)[j] + query.row(b)[j]);
      scores.row(b)[s] = sum;
    }
  }
}

template <class T>
void additive_score_backward(View<T> d_keys, View<T> d_query, View<T> d_v, View<T> d_bias, View<T> d_scores,
                             View<T> keys, View<T> query, View<T> v, const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      const Index row = ranges.begin[b] + s;
      const T d = d_scores.row(b)[s];
      if (d_bias) d_bias.data[0] += d;
      for (Index j = 0; j < keys.columns; ++j) {
        const T t = std::tanh(keys.row(row)[j] + query.row(b)[j]);
        const T inner = d * v.data[j] * (1 - t * t);
        if (d_v) d_v.data[j] += d * t;
        if (d_keys) d_keys.row(row)[j] += inner;
        if (d_query) d_query.row(b)[j] += inner;
      }
    }
  }
}

template <class T>
void dot_score_forward(View<T> scores, View<T> keys, View<T> query, T scale, const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      T sum = 0;
      for (Index j = 0; j < keys.columns; ++j) sum += keys.row(ranges.begin[b] + s)[j] * query.row(b)[j];
      scores.row(b)[s] = scale * sum;
    }
  }
}

template <class T>
void dot_score_backward(View<T> d_keys, View<T> d_query, View<T> d_scores, View<T> keys, View<T> query, T scale,
                        const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      const Index row = ranges.begin[b] + s;
      const T d = scale * d_scores.row(b)[s];
      for (Index j = 0; j < keys.columns; ++j) {
        if (d_keys) d_keys.row(row)[j] += d * query.row(b)[j];
        if (d_query) d_query.row(b)[j] += d * keys.row(row)[j];
      }
    }
  }
}

// Bound by memory bandwidth, so the float kernels use these two loops too.
template <class T>
void linear_score_forward(View<T> scores, View<T> keys, View<T> query, const RowRanges& ranges) {
  for (Index b = 0; b < query.rows; ++b)
    for (Index s = 0; s < ranges.length[b]; ++s) scores.row(b)[s] = keys.row(ranges.begin[b] + s)[0] + query.row(b)[0];
}

template <class T>
void linear_score_backward(View<T> d_keys, View<T> d_query, View<T> d_scores, const RowRanges& ranges) {
  for (Index b = 0; b < d_scores.rows; ++b) {
    for (Index s = 0; s < ranges.length[b]; ++s) {
      if (d_keys) d_keys.row(ranges.begin[b] + s)[0] += d_scores.row(b)[s];
      if (d_query) d_query.row(b)[0] += d_scores.row(b)[s];
    }
  }
}

template <class T>
void attend_forward(View<T> context, View<T> weights, View<T> scores, View<T> values, const RowRanges& ranges,
                    Support support) {
  for (Index b = 0; b < context.rows; ++b) {
    const Index length = ranges.length[b], support_size = support == Support::sentence ? length : scores.columns;
    T* const w = weights.row(b);
    softmax_row(w, scores.row(b), support_size);
    std::fill(w + support_size, w + weights.columns, T(0));
    std::fill(context.row(b), context.row(b) + context.columns, T(0));
    for (Index s = 0; s < length; ++s)
      for (Index j = 0; j < context.columns; ++j) context.row(b)[j] += w[s] * values.row(ranges.begin[b] + s)[j];
  }
}

template <class T>
void attend_backward(View<T> d_values, View<T> d_scores, View<T> d_context, View<T> d_weights, View<T> weights,
                     View<T> values, const RowRanges& ranges, Support support) {
  for (Index b = 0; b < d_context.rows; ++b) {
    const Index length = ranges.length[b], support_size = support == Support::sentence ? length : weights.columns;
    T* const d = d_scores.row(b);  // holds the gradient of the weights first, then that of the scores
    std::fill(d, d + d_scores.columns, T(0));
    for (Index s = 0; s < length; ++s) {
      const Index row = ranges.begin[b] + s;
      for (Index j = 0; j < values.columns; ++j) {
        d[s] += d_context.row(b)[j] * values.row(row)[j];
        if (d_values) d_values.row(row)[j] += weights.row(b)[s] * d_context.row(b)[j];
      }
    }
    T sum = 0;
    for (Index s = 0; s < support_size; ++s) {
      if (d_weights) d[s] += d_weights.row(b)[s];
      sum += weights.row(b)[s] * d[s];
    }
    for (Index s = 0; s < support_size; ++s) d[s] = weights.row(b)[s] * (d[s] - sum);
  }
}

// Keeps the logarithm finite if a weight underflows; far below any weight that matters.
constexpr double kGuideFloor = 1e-8;

// Only a few numbers per row, so the float kernels use these two loops too.
template <class T>
void guide_forward(View<T> losses, View<T> weights, Guides guides) {
  for (Index b = 0; b < losses.rows; ++b) losses.row(b)[0] = 0;
  for (const Guide& g : guides)
    losses.row(g.row)[0] -=
        static_cast<T>(g.weight) * std::log(weights.row(g.row)[g.column] + static_cast<T>(kGuideFloor));
}

template <class T>
void guide_backward(View<T> d_weights, View<T> weights, Guides guides, T scale) {
  for (const Guide& g : guides)
    d_weights.row(g.row)[g.column] -=
        scale * static_cast<T>(g.weight) / (weights.row(g.row)[g.column] + static_cast<T>(kGuideFloor));
}

}  // namespace heed::kernels::ref
