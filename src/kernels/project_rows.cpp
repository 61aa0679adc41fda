#include "kernels/project_rows.h"

#include <algorithm>

#include "kernels/dispatch.h"
#include "kernels/int8.h"
#include "kernels/profile.h"
#include "kernels/ref/project_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/project_rows.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// The sums of a tile of kRows x kWords elements stay in registers: at most twelve, with two chains per element.
template <int kRows, int kWords>
void word_tile(View<float> y, View<float> x, View<float> w, const float* bias, const Id* words) {
  const Index lanes = static_cast<Index>(hn::Lanes(D())), columns = x.columns;
  const float* rows[kWords];
  V even[kRows][kWords], odd[kRows][kWords];
#pragma GCC unroll 4
  for (int j = 0; j < kWords; ++j) {
    rows[j] = w.row(words[j]);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) even[i][j] = odd[i][j] = hn::Zero(D());
  }
  const auto add = [&](auto part, Index k, V(&sums)[kRows][kWords]) HWY_ATTR {
    V weights[kWords];
#pragma GCC unroll 4
    for (int j = 0; j < kWords; ++j) weights[j] = load(part, rows[j] + k);
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      const V value = load(part, x.row(i) + k);
#pragma GCC unroll 4
      for (int j = 0; j < kWords; ++j) sums[i][j] = hn::MulAdd(value, weights[j], sums[i][j]);
    }
  };
  Index k = 0;
  for (; k + 2 * lanes <= columns; k += 2 * lanes) {
    add(Whole{}, k, even);
    add(Whole{}, k + lanes, odd);
  }
  if (k + lanes <= columns) {
    add(Whole{}, k, even);
    k += lanes;
  }
  if (k < columns) add(Part{static_cast<std::size_t>(columns - k)}, k, odd);
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kWords; ++j) {
      const float sum = sum_lanes(hn::Add(even[i][j], odd[i][j]));
      y.row(i)[j] = bias == nullptr ? sum : sum + bias[words[j]];
    }
}

// kRows rows of x and y, all words: kWords at a time, then the rest.
template <int kRows, int kWords>
void word_tiles(View<float> y, View<float> x, View<float> w, const float* bias, const Id* words) {
  Index j = 0;
  for (; j + kWords <= y.columns; j += kWords, y.data += kWords) word_tile<kRows, kWords>(y, x, w, bias, words + j);
  if constexpr (kWords > 1) {
    y.columns -= j;
    if (y.columns > 0) word_tiles<kRows, kWords - 1>(y, x, w, bias, words + j);
  }
}

void project_rows(View<float> y, View<float> x, View<float> w, View<float> bias, Ids words) {
  while (y.rows > 0) {
    // Six rows or fewer; seven are computed as four and three.
    const Index rows = y.rows <= 6 ? y.rows : y.rows == 7 ? 4 : 6;
    switch (rows) {
      case 1:
        word_tiles<1, 4>(y, x, w, bias.data, words.data());
        break;
      case 2:
        word_tiles<2, 3>(y, x, w, bias.data, words.data());
        break;
      case 3:
        word_tiles<3, 2>(y, x, w, bias.data, words.data());
        break;
      case 4:
        word_tiles<4, 1>(y, x, w, bias.data, words.data());
        break;
      case 5:
        word_tiles<5, 1>(y, x, w, bias.data, words.data());
        break;
      default:
        word_tiles<6, 1>(y, x, w, bias.data, words.data());
    }
    y.data += rows * y.stride, x.data += rows * x.stride, y.rows -= rows;
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

// The part of W that project_groups() reads at a time stays in the L2 cache, beside the rows of x.
constexpr Index kPartBytes = Index{1} << 18;

void check_operands(const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias, Ids words) {
  check_shape("project_rows", "x", x, -1, w.columns());
  check_shape("project_rows", "y", y, x.rows(), static_cast<Index>(words.size()));
  if (bias) check_shape("project_rows", "bias", bias, 1, w.rows());
  check_same_type("project_rows", {y, x, w.type() == DType::int8 ? y : w, bias});
  check_ids("project_rows", words, w.rows());
}

}  // namespace

void project_rows(Tensor y, Tensor x, Tensor w, Tensor bias, Ids words) {
  check_operands(y, x, w, bias, words);
  if (words.empty()) return;
  ProfileTimer timer;
  if (w.type() == DType::int8)
    matmul_int8(y, x, w, {.bias = bias, .words = words});
  else
    HEED_RUN(project_rows, y.type(), y, x, w, bias, words);
  timer.lap(Profile::matmul);
}

void project_groups(std::span<WordGroup> groups, Tensor w, Tensor bias) {
  if (w.type() == DType::int8) {  // small enough to stay in the cache as a whole
    for (const WordGroup& group : groups) project_rows(group.y, group.x, w, bias, group.words);
    return;
  }
  for (const WordGroup& group : groups) check_operands(group.y, group.x, w, bias, group.words);
  ProfileTimer timer;
  const Index part = std::max<Index>(kPartBytes / (std::max<Index>(w.columns(), 1) * size_of(w.type())), 1);
  for (Index end = part; end < w.rows() + part; end += part) {
    for (WordGroup& group : groups) {
      const std::size_t from = group.done;
      while (group.done < group.words.size() && group.words[group.done] < end) ++group.done;
      const std::size_t count = group.done - from;
      if (count == 0) continue;
      const Tensor y = group.y.slice_columns(static_cast<Index>(from), static_cast<Index>(count));
      HEED_RUN(project_rows, y.type(), y, group.x, w, bias, group.words.subspan(from, count));
    }
  }
  timer.lap(Profile::matmul);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
