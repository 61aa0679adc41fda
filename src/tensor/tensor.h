// A tensor is a view: a pointer, a type and a shape. It owns nothing: the memory belongs to an Arena, a parameter set
// or a mapped file and must outlive the tensor. Elements can be written through any tensor, so take care not to write
// to a mapped file. Sentences of different lengths are packed without padding, so two dimensions are enough: a tensor
// is a matrix whose rows lie `stride` elements apart. Copying a Tensor copies the view.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "base/index.h"

namespace heed::inline tensor {

// heed trains and translates in f32; f64 exists for tests, and every operation runs in both. `panels` is f32 in the
// layout of kernels/panels.h, for weights of matrix products: kPanelRows rows together, column by column. `int8` is for
// the weights of quantized models (kernels/int8.h).
enum class DType : std::uint8_t { f32, f64, panels, int8 };

constexpr Index kPanelRows = 16;

constexpr Index size_of(DType type) {
  return type == DType::f64 ? 8 : type == DType::int8 ? 1 : 4;
}

constexpr const char* name_of(DType type) {
  constexpr const char* kNames[] = {"f32", "f64", "panels", "int8"};
  return kNames[static_cast<std::size_t>(type)];
}

template <class T>
constexpr DType dtype_of() {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int8_t>);
  return std::is_same_v<T, float> ? DType::f32 : std::is_same_v<T, double> ? DType::f64 : DType::int8;
}

// What the integers of an int8 matrix mean: element (i, j) is the number integer * scales[i] * input_factors[j]. A
// product multiplies it by inputs that are integers too: x[j] * input_factors[j], rounded. Without input factors
// (null), the matrix can only be read by row. Must outlive its tensors.
struct Quantization {
  const std::int8_t* integers = nullptr;  // [rows,columns]
  const float* scales = nullptr;          // [rows]
  const float* input_factors = nullptr;   // [columns]
};

// Rows times columns; ShapeError if a size is negative or the number of bytes does not fit an Index.
Index checked_elements(Index rows, Index columns);

class Tensor {
 public:
  Tensor() = default;
  Tensor(void* data, DType type, Index rows, Index columns, Index stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride), type_(type) {}
  Tensor(void* data, DType type, Index rows, Index columns) : Tensor(data, type, rows, columns, columns) {}
  // A whole int8 matrix, read-only.
  Tensor(const Quantization& quantization, Index rows, Index columns)
      : Tensor(const_cast<std::int8_t*>(quantization.integers), DType::int8, rows, columns) {
    quantization_ = &quantization;
  }

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  Index stride() const { return stride_; }
  Index elements() const { return rows_ * columns_; }
  DType type() const { return type_; }
  bool contiguous() const { return stride_ == columns_ || rows_ <= 1; }
  // False for the default tensor, which stands for an absent one, such as a gradient that is not needed.
  explicit operator bool() const { return data_ != nullptr; }

  // The first element; InternalError if T is not the tensor's type.
  template <class T>
  T* data() const {
    check<InternalError>(dtype_of<T>() == type_, "tensor of {} read as {}", name_of(type_), name_of(dtype_of<T>()));
    return static_cast<T*>(data_);
  }
  template <class T>
  T* row(Index i) const {
    return data<T>() + i * stride_;
  }
  // All elements of a contiguous tensor.
  template <class T>
  std::span<T> span() const {
    return {data<T>(), static_cast<std::size_t>(elements())};
  }
  // One element of either type.
  double number(Index i, Index j) const {
    return type_ == DType::f32 ? static_cast<double>(row<float>(i)[j]) : row<double>(i)[j];
  }
  void* address() const { return data_; }
  // Of an int8 tensor: the scales of its rows, and those of its columns, which may be null. InternalError if the tensor
  // has another type.
  const float* scales() const;
  const float* input_factors() const;

  // Views of consecutive rows or columns; ShapeError if they are out of range, or if `from` would cut a panel.
  Tensor slice_rows(Index from, Index count) const;
  Tensor slice_columns(Index from, Index count) const;
  // A view of a contiguous tensor with another shape; ShapeError unless the number of elements is the same.
  Tensor reshape(Index rows, Index columns) const;

  // "[3,4]", for error messages.
  std::string shape_string() const;

 private:
  const Quantization& quantization() const;

  void* data_ = nullptr;
  Index rows_ = 0;
  Index columns_ = 0;
  Index stride_ = 0;
  DType type_ = DType::f32;
  const Quantization* quantization_ = nullptr;  // only of an int8 tensor
};

// Throws a ShapeError that names the operation and the operand unless x is [rows, columns]; -1 stands for any size.
void check_shape(const char* operation, const char* operand, const Tensor& x, Index rows, Index columns);
// Throws a ShapeError unless all tensors have the same type; absent ones are skipped.
void check_same_type(const char* operation, std::initializer_list<Tensor> tensors);
// Throws a ShapeError unless `others` have the shape and the type of x.
void check_alike(const char* operation, const Tensor& x, std::initializer_list<Tensor> others);

}  // namespace heed::tensor
