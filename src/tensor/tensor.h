// A tensor is a view: a pointer, a type and a shape. It owns nothing; the memory is an Arena's or a parameter set's and
// must outlive it. It is never const: a view of a mapped model file must not be written through. All of heed's data is
// ragged (sentences of different length, packed without padding), so a tensor is a matrix of rows and columns whose
// rows lie `stride` elements apart. Copying a Tensor copies the view.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "base/index.h"

namespace heed::inline tensor {

// f32 is what heed trains and translates with; f64 exists to check it: every operation runs on both. `panels` is f32 as
// kernels/panels.h lays weights out for matrix products: kPanelRows rows together, the numbers of a column side by
// side.
enum class DType : std::uint8_t { f32, f64, panels };

constexpr Index kPanelRows = 16;

constexpr Index size_of(DType type) {
  return type == DType::f64 ? 8 : 4;
}

template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  return std::is_same_v<T, float> ? DType::f32 : DType::f64;
}

// Rows times columns, or a ShapeError if a size is negative or the bytes would not fit an Index.
Index checked_elements(Index rows, Index columns);

class Tensor {
 public:
  Tensor() = default;
  Tensor(void* data, DType type, Index rows, Index columns, Index stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride), type_(type) {}
  Tensor(void* data, DType type, Index rows, Index columns) : Tensor(data, type, rows, columns, columns) {}

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index stride() const { return stride_; }
  Index elements() const { return rows_ * columns_; }
  DType type() const { return type_; }
  bool contiguous() const { return stride_ == columns_ || rows_ <= 1; }
  // False for the default tensor, which stands for "not there": a gradient that nobody wants.
  explicit operator bool() const { return data_ != nullptr; }

  // The first element; T must be the tensor's own type.
  template <class T>
  T* data() const {
    check<InternalError>(dtype_of<T>() == type_, "tensor of {} read as {}", name_of(type_), name_of(dtype_of<T>()));
    return static_cast<T*>(data_);
  }
  template <class T>
  T* row(Index i) const {
    return data<T>() + i * stride_;
  }
  // Every element; contiguous tensors only.
  template <class T>
  std::span<T> span() const {
    return {data<T>(), static_cast<std::size_t>(elements())};
  }
  // One element of either type.
  double number(Index i, Index j) const {
    return type_ == DType::f32 ? static_cast<double>(row<float>(i)[j]) : row<double>(i)[j];
  }
  const void* address() const { return data_; }

  // Views of consecutive rows or columns; a ShapeError if they are out of range. Panels are cut between panels only.
  Tensor slice_rows(Index from, Index count) const;
  Tensor slice_columns(Index from, Index count) const;
  // The same elements with another number of rows and columns; contiguous tensors only.
  Tensor reshape(Index rows, Index columns) const;

  // "[3,4]", for error messages.
  std::string shape_string() const;

 private:
  static const char* name_of(DType type) { return type == DType::f32 ? "f32" : type == DType::f64 ? "f64" : "panels"; }

  void* data_ = nullptr;
  Index rows_ = 0;
  Index columns_ = 0;
  Index stride_ = 0;
  DType type_ = DType::f32;
};

// A ShapeError naming the operation and the operand unless x is [rows, columns]; -1 stands for any size.
void check_shape(const char* operation, const char* operand, const Tensor& x, Index rows, Index columns);
// A ShapeError unless all tensors that are there have one type.
void check_same_type(const char* operation, std::initializer_list<Tensor> tensors);

}  // namespace heed::tensor
