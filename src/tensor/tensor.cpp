#include "tensor/tensor.h"

#include <limits>

namespace heed::inline tensor {

Index checked_elements(Index rows, Index columns) {
  check(rows >= 0 && columns >= 0, "a tensor of [{},{}] has a negative size", rows, columns);
  constexpr Index kMaxElements = std::numeric_limits<Index>::max() / 16;
  check(columns == 0 || rows <= kMaxElements / columns, "a tensor of [{},{}] cannot fit in memory", rows, columns);
  return rows * columns;
}

Tensor Tensor::slice_rows(Index from, Index count) const {
  check(from >= 0 && count >= 0 && from <= rows_ - count, "{} rows from row {} on are not within a tensor of {}", count,
        from, shape_string());
  check(type_ != DType::panels || from % kPanelRows == 0, "rows from row {} on would cut a panel of {}", from,
        kPanelRows);
  Tensor slice = *this;
  slice.data_ = static_cast<char*>(data_) + from * stride_ * size_of(type_);
  slice.rows_ = count;
  return slice;
}

Tensor Tensor::slice_columns(Index from, Index count) const {
  check(from >= 0 && count >= 0 && from <= columns_ - count,
        "{} columns from column {} on are not within a tensor of {}", count, from, shape_string());
  const Index column_stride = type_ == DType::panels ? kPanelRows : 1;
  Tensor slice = *this;
  slice.data_ = static_cast<char*>(data_) + from * column_stride * size_of(type_);
  slice.columns_ = count;
  return slice;
}

Tensor Tensor::reshape(Index rows, Index columns) const {
  check(contiguous() && type_ != DType::panels && type_ != DType::int8,
        "a tensor of {} with row stride {} cannot be reshaped", shape_string(), stride_);
  check(checked_elements(rows, columns) == elements(), "a tensor of {} cannot become [{},{}]", shape_string(), rows,
        columns);
  return {data_, type_, rows, columns};
}

const Quantization& Tensor::quantization() const {
  check<InternalError>(quantization_ != nullptr, "a tensor of {} has no scales", name_of(type_));
  return *quantization_;
}

// The rows of the whole matrix lie stride_ integers apart, so the place of a slice follows from its address.
const float* Tensor::scales() const {
  const Quantization& q = quantization();
  return q.scales + (static_cast<const std::int8_t*>(data_) - q.integers) / stride_;
}

const float* Tensor::input_factors() const {
  const Quantization& q = quantization();
  return q.input_factors == nullptr ? nullptr
                                    : q.input_factors + (static_cast<const std::int8_t*>(data_) - q.integers) % stride_;
}

std::string Tensor::shape_string() const {
  return fmt::format("[{},{}]", rows_, columns_);
}

void check_shape(const char* operation, const char* operand, const Tensor& x, Index rows, Index columns) {
  if ((rows == -1 || x.rows() == rows) && (columns == -1 || x.columns() == columns)) return;
  const auto expected = [](Index size) { return size == -1 ? std::string("any") : fmt::format("{}", size); };
  throw ShapeError("{}: {} is {}, expected [{},{}]", operation, operand, x.shape_string(), expected(rows),
                   expected(columns));
}

void check_same_type(const char* operation, std::initializer_list<Tensor> tensors) {
  for (const Tensor& x : tensors)
    check(!x || x.type() == tensors.begin()->type(), "{}: {} and {} tensors are mixed", operation,
          name_of(tensors.begin()->type()), name_of(x.type()));
}

void check_alike(const char* operation, const Tensor& x, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) {
    check_shape(operation, "an operand", other, x.rows(), x.columns());
    check_same_type(operation, {x, other});
  }
}

}  // namespace heed::tensor
