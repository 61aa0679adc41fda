// The typed face of a Tensor that kernels work on: a matrix of T whose rows lie `stride` elements apart.
#pragma once

#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace heed::kernels {

template <class T>
struct View {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;

  View() = default;
  // Implicit, so that a Tensor can be passed where a kernel takes a View of its type. An absent tensor gives an absent
  // view: a gradient that nobody wants.
  View(const Tensor& tensor)  // NOLINT(google-explicit-constructor)
      : data(tensor ? tensor.data<T>() : nullptr),
        rows(tensor.rows()),
        columns(tensor.columns()),
        stride(tensor.stride()) {}

  T* row(Index i) const { return data + i * stride; }
  explicit operator bool() const { return data != nullptr; }
};

using Id = std::int32_t;
using Ids = std::span<const Id>;

// Which rows of a packed matrix belong to which row of a batch: row b owns `length[b]` rows from `begin[b]` on.
// Several batch rows may share their rows (the hypotheses of one sentence).
struct Spans {
  Ids begin;
  Ids length;
};

// A ShapeError unless both arrays have `count` entries and every span lies within `rows` rows.
void check_spans(const char* operation, const Spans& spans, Index count, Index rows);
// A ShapeError naming the first id outside [0, bound).
void check_ids(const char* operation, Ids ids, Index bound);

}  // namespace heed::kernels
