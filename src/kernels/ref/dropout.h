// Reference loops of kernels/dropout.h, for float and double.
#pragma once

#include <algorithm>

#include "kernels/dropout.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void dropout_forward(View<T> out, std::uint8_t* mask, View<T> x, T rate, const Random& random, RowKeys keys,
                     bool whole_rows = false) {
  const T scale = 1 / (1 - rate);
  const auto threshold = static_cast<float>(rate);
  const std::uint64_t blocks = (static_cast<std::uint64_t>(x.columns) + 3) / 4;
  for (Index i = 0; i < x.rows; ++i) {
    std::uint8_t* const kept = mask + i * x.columns;
    if (whole_rows) std::fill_n(kept, x.columns, Random::to_uniform(random.bits(keys[i])) >= threshold);
    for (Index j = 0; j < x.columns && !whole_rows; j += 4) {
      const auto words = random.block(keys[i] * blocks + static_cast<std::uint64_t>(j) / 4);
      for (Index k = j; k < std::min(j + 4, x.columns); ++k) kept[k] = Random::to_uniform(words[k - j]) >= threshold;
    }
    for (Index j = 0; j < x.columns; ++j) out.row(i)[j] = x.row(i)[j] * (kept[j] ? scale : T(0));
  }
}

template <class T>
void dropout_backward(View<T> d_x, View<T> d_out, const std::uint8_t* mask, T rate) {
  const T scale = 1 / (1 - rate);
  for (Index i = 0; i < d_x.rows; ++i)
    for (Index j = 0; j < d_x.columns; ++j)
      d_x.row(i)[j] += d_out.row(i)[j] * (mask[i * d_x.columns + j] ? scale : T(0));
}

}  // namespace heed::kernels::ref
