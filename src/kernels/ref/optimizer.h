// Reference loops of kernels/optimizer.h, for float and double.
#pragma once

#include <cmath>

#include "kernels/optimizer.h"
#include "kernels/view.h"

namespace heed::kernels::ref {

template <class T>
void adam_update(View<T> p, View<T> m, View<T> v, View<T> gradient, const AdamStep& s) {
  const T rate = static_cast<T>(s.rate / (1 - std::pow(s.beta1, s.t)));
  const T correction = static_cast<T>(1 / std::sqrt(1 - std::pow(s.beta2, s.t)));
  const T b1 = static_cast<T>(s.beta1), b2 = static_cast<T>(s.beta2), keep = static_cast<T>(1 - s.rate * s.decay);
  for (Index i = 0; i < p.rows; ++i) {
    for (Index j = 0; j < p.columns; ++j) {
      const T g = gradient.row(i)[j] * static_cast<T>(s.scale);
      T &first = m.row(i)[j], &second = v.row(i)[j];
      first = b1 * first + (1 - b1) * g;
      second = b2 * second + (1 - b2) * g * g;
      p.row(i)[j] = p.row(i)[j] * keep - rate * first / (std::sqrt(second) * correction + static_cast<T>(s.epsilon));
    }
  }
}

template <class T>
void sgd_update(View<T> p, View<T> velocity, View<T> gradient, const SgdStep& s) {
  for (Index i = 0; i < p.rows; ++i) {
    for (Index j = 0; j < p.columns; ++j) {
      T g = gradient.row(i)[j] * static_cast<T>(s.scale);
      if (velocity) g = velocity.row(i)[j] = static_cast<T>(s.momentum) * velocity.row(i)[j] + g;
      p.row(i)[j] -= static_cast<T>(s.rate) * g;
    }
  }
}

}  // namespace heed::kernels::ref
