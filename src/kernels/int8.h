// Products with int8 weights: y = x Wᵀ. The inputs are rounded to integers as well, so the sums are exact 32-bit
// integers: the result has the same bits on every instruction set, for any number of rows.
//
// W holds integers, row-major; each stands for the number integer * scales[row] * input_factors[column] (Quantization
// in tensor/tensor.h). An input x[k] becomes x[k] * input_factors[k], rounded to the nearest integer (half to even) and
// limited to -127 … 127; NaN becomes -127. An element of y is its sum of products, as a float, times the row's scale.
// Everything runs on the calling thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// The most columns for which no sum can overflow.
constexpr Index kMaxInt8Columns = Index{1} << 16;

// Rows of inputs as integers, so that several products with the same input factors can share them. Its memory grows to
// the largest size that was assigned and is reused. Valid while the instruction set in use stays the same.
class Int8Input {
 public:
  // x:[N,in] in f32; factors:[in].
  void assign(Tensor x, const float* factors);

  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  const std::byte* data() const { return data_; }            // in the layout of simd/int8-inl.h
  const std::int32_t* sums() const { return sums_.data(); }  // of each row

 private:
  Index rows_ = 0, columns_ = 0;
  std::byte* data_ = nullptr;  // within memory_, aligned to 64 bytes
  std::vector<std::byte> memory_;
  std::vector<std::int32_t> sums_;
};

struct Int8Options {
  Tensor bias = {};         // [1,out], added to every row; may be absent
  bool accumulate = false;  // add to y
  Ids words = {};           // only these rows of W, which become the columns of y; empty: all
};

// y = x Wᵀ; x:[N,in], w:[out,in] in int8, y:[N,out] or [N,words] in f32.
void matmul_int8(Tensor y, Tensor x, Tensor w, const Int8Options& options = {});
// The same with inputs that were assigned with w.input_factors().
void matmul_int8(Tensor y, const Int8Input& x, Tensor w, const Int8Options& options = {});

// out[i] = the numbers of row index[i] of an int8 matrix.
void gather_int8_rows(Tensor out, Tensor w, Ids index);

// The integers and the row scales of an f32 matrix with these input factors (null: all 1): each row has the smallest
// scale for which no integer exceeds 127.
void quantize_weights(std::span<std::int8_t> integers, std::span<float> scales, Tensor w, const float* input_factors);

}  // namespace heed::kernels
