// Reference loops of kernels/project_rows.h, for float and double.
#pragma once

#include "kernels/view.h"
#include "tensor/ids.h"

namespace heed::kernels::ref {

template <class T>
void project_rows(View<T> y, View<T> x, View<T> w, View<T> bias, Ids words) {
  for (Index i = 0; i < y.rows; ++i) {
    for (Index j = 0; j < y.columns; ++j) {
      const Id word = words[static_cast<std::size_t>(j)];
      T sum = 0;
      for (Index k = 0; k < x.columns; ++k) sum += x.row(i)[k] * w.row(word)[k];
      y.row(i)[j] = bias ? sum + bias.data[word] : sum;
    }
  }
}

}  // namespace heed::kernels::ref
