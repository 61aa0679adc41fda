// A typed view of a Tensor for kernels: a matrix of T whose rows lie `stride` elements apart.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

template <class T>
struct View {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;

  View() = default;
  // Implicit, so that a Tensor can be passed if a kernel takes a View of its type. An absent tensor gives an absent
  // view.
  View(const Tensor& tensor)  // NOLINT(google-explicit-constructor)
      : data(tensor ? tensor.data<T>() : nullptr),
        rows(tensor.rows()),
        columns(tensor.columns()),
        stride(tensor.stride()) {}

  T* row(Index i) const { return data + i * stride; }
  explicit operator bool() const { return data != nullptr; }
};

}  // namespace heed::kernels
