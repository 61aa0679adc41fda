#include "kernels/int8.h"

#include <cmath>

#include "kernels/cpu.h"
#include "kernels/dispatch.h"
#include "kernels/ref/int8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/int8.cpp"
#include <hwy/foreach_target.h>

#undef HEED_INT8_VNNI
#define HEED_INT8_VNNI 0
#include "kernels/simd/int8-inl.h"
#if HWY_TARGET == HWY_AVX3
#undef HEED_INT8_VNNI
#define HEED_INT8_VNNI 1
#include "kernels/simd/int8-inl.h"
#endif

#if HWY_ONCE
namespace heed::kernels {
namespace {

// The version of a function in simd/int8-inl.h for this machine.
#define HEED_DISPATCH_INT8(function) (uses_vnni() ? HWY_CHOOSE_AVX3(vnni::function) : HEED_DISPATCH(madd::function))

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLargestInteger = 2;  // bytes, in any version
constexpr std::size_t kLargestBlock = 32;   // rows of W that are packed at a time, in any version

std::byte* aligned_memory(std::vector<std::byte>& memory, std::size_t bytes) {
  if (memory.size() < bytes + kAlignment) memory.resize(bytes + kAlignment);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(memory.data()) % kAlignment;
  return memory.data() + (kAlignment - past) % kAlignment;
}

std::size_t padded_bytes(Index columns) {
  return (static_cast<std::size_t>(columns) + 63) / 64 * 64 * kLargestInteger;
}

}  // namespace

void Int8Input::assign(Tensor x, const float* factors) {
  check<InternalError>(factors != nullptr, "an int8 matrix without input factors cannot be multiplied");
  check(x.columns() > 0 && x.columns() <= kMaxInt8Columns, "matmul_int8: x is {}, expected 1 to {} columns",
        x.shape_string(), kMaxInt8Columns);
  rows_ = x.rows();
  columns_ = x.columns();
  data_ = aligned_memory(memory_, static_cast<std::size_t>(rows_) * padded_bytes(columns_));
  if (sums_.size() < static_cast<std::size_t>(rows_)) sums_.resize(static_cast<std::size_t>(rows_));
  HEED_DISPATCH_INT8(quantize)(data_, sums_.data(), x, factors);
}

void matmul_int8(Tensor y, const Int8Input& x, Tensor w, const Int8Options& options) {
  const Ids words = options.words;
  check_shape("matmul_int8", "w", w, -1, x.columns());
  check_shape("matmul_int8", "y", y, x.rows(), words.empty() ? w.rows() : static_cast<Index>(words.size()));
  if (options.bias) check_shape("matmul_int8", "bias", options.bias, 1, w.rows());
  check_ids("matmul_int8", words, w.rows());
  if (y.elements() == 0) return;
  thread_local std::vector<std::byte> memory;
  auto* const packed =
      reinterpret_cast<std::int32_t*>(aligned_memory(memory, kLargestBlock * padded_bytes(w.columns())));
  const Int8Weights weights{.integers = w.data<std::int8_t>(),
                            .stride = w.stride(),
                            .columns = w.columns(),
                            .scales = w.scales(),
                            .bias = options.bias ? options.bias.data<float>() : nullptr,
                            .words = words.empty() ? nullptr : words.data()};
  HEED_DISPATCH_INT8(product)(y, x.data(), x.sums(), weights, options.accumulate, packed);
}

void matmul_int8(Tensor y, Tensor x, Tensor w, const Int8Options& options) {
  check_shape("matmul_int8", "x", x, -1, w.columns());
  thread_local Int8Input input;
  input.assign(x, w.input_factors());
  matmul_int8(y, input, w, options);
}

void gather_int8_rows(Tensor out, Tensor w, Ids index) {
  check_shape("gather_rows", "the output", out, static_cast<Index>(index.size()), w.columns());
  check_ids("gather_rows", index, w.rows());
  const float* const factors = w.input_factors();
  for (Index i = 0; i < out.rows(); ++i) {
    const std::int8_t* const from = w.row<std::int8_t>(index[static_cast<std::size_t>(i)]);
    const float scale = w.scales()[index[static_cast<std::size_t>(i)]];
    float* const to = out.row<float>(i);
    for (Index k = 0; k < out.columns(); ++k) to[k] = static_cast<float>(from[k]) * scale;
    for (Index k = 0; factors != nullptr && k < out.columns(); ++k) to[k] *= factors[k];
  }
}

void quantize_weights(std::span<std::int8_t> integers, std::span<float> scales, Tensor w, const float* input_factors) {
  check(std::ssize(integers) == w.elements() && std::ssize(scales) == w.rows(),
        "quantize_weights: {} integers and {} scales for a matrix of {}", integers.size(), scales.size(),
        w.shape_string());
  for (Index i = 0; i < w.rows(); ++i) {
    const auto number = [&](Index k) {
      return w.row<float>(i)[k] / (input_factors == nullptr ? 1.0f : input_factors[k]);
    };
    float largest = 0;
    for (Index k = 0; k < w.columns(); ++k) largest = std::max(largest, std::abs(number(k)));
    const float scale = largest > 0 ? largest / 127.0f : 1.0f;
    scales[static_cast<std::size_t>(i)] = scale;
    for (Index k = 0; k < w.columns(); ++k)
      integers[static_cast<std::size_t>(i * w.columns() + k)] =
          static_cast<std::int8_t>(ref::rounded(number(k), 1.0f / scale));
  }
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
