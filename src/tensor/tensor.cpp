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
  return {static_cast<char*>(data_) + from * stride_ * size_of(type_), type_, count, columns_, stride_};
}

Tensor Tensor::slice_columns(Index from, Index count) const {
  check(from >= 0 && count >= 0 && from <= columns_ - count,
        "{} columns from column {} on are not within a tensor of {}", count, from, shape_string());
  const Index column_stride = type_ == DType::panels ? kPanelRows : 1;
  return {static_cast<char*>(data_) + from * column_stride * size_of(type_), type_, rows_, count, stride_};
}

Tensor Tensor::reshape(Index rows, Index columns) const {
  check(contiguous() && type_ != DType::panels, "a tensor of {} with row stride {} cannot be reshaped", shape_string(),
        stride_);
  check(checked_elements(rows, columns) == elements(), "a tensor of {} cannot become [{},{}]", shape_string(), rows,
        columns);
  return {data_, type_, rows, columns};
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
    check(!x || x.type() == tensors.begin()->type(), "{}: f32 and f64 tensors are mixed", operation);
}

void check_alike(const char* operation, const Tensor& x, std::initializer_list<Tensor> others) {
  for (const Tensor& other : others) {
    check_shape(operation, "an operand", other, x.rows(), x.columns());
    check_same_type(operation, {x, other});
  }
}

}  // namespace heed::tensor
