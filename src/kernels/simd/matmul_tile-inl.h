// The micro-kernels of kernels/panels.cpp, which sum a tile of y in registers. Included once per instruction set, so
// the guard toggles.
#if defined(HEED_KERNELS_SIMD_MATMUL_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_MATMUL_TILE_INL_H_
#undef HEED_KERNELS_SIMD_MATMUL_TILE_INL_H_
#else
#define HEED_KERNELS_SIMD_MATMUL_TILE_INL_H_
#endif

#include <hwy/cache_control.h>

#include "kernels/simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// A tile has MR rows and NR columns of y. The sizes follow from the number of registers: 32 with AVX-512, otherwise 16.
using PanelTag = hn::CappedTag<float, kPanelRows>;
constexpr int kVectors = static_cast<int>(kPanelRows / static_cast<Index>(hn::MaxLanes(PanelTag())));  // per panel
constexpr int kTilePanels = kVectors == 1 ? 2 : 1;
constexpr int kMR = kVectors == 1 ? 12 : kVectors == 2 ? 6 : 2;
constexpr Index kNR = kTilePanels * kPanelRows;
// How many columns ahead W is prefetched if it is read only once, front to back.
constexpr Index kAhead = 64;

// A block of W, and the memory to prefetch while it is used: runs of sixteen cache lines (of 16 numbers each), the runs
// `prefetch_stride` numbers apart.
struct WeightBlock {
  const float* w;
  Index panel_stride;  // numbers from panel to panel
  const float* prefetch;
  std::size_t prefetch_stride;
};

struct Tile {
  WeightBlock block;
  Index depth = 0;  // columns of x and W
  bool accumulate = false;
  Index y_stride = 0, x_stride = 0;
  float* y = nullptr;
  const float* x = nullptr;
  Index prefetch_line = 0, prefetch_count = 0;  // this tile's part of the lines to prefetch
};

template <int kRows, int kPanels>
void tile_kernel(const Tile& t) {
  constexpr int kColumns = kPanels * kVectors;
  using W = hn::Vec<PanelTag>;
  const PanelTag d;
  constexpr Index kLanes = kPanelRows / kVectors;
  W sums[kRows][kColumns];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j)
      sums[i][j] = t.accumulate ? hn::LoadU(d, t.y + i * t.y_stride + j * kLanes) : hn::Zero(d);
  const auto add_column = [&](Index k) HWY_ATTR {
    W w[kColumns];
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j)
      w[j] = hn::LoadU(d, t.block.w + j / kVectors * t.block.panel_stride + k * kPanelRows + j % kVectors * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const W x = hn::Set(d, t.x[i * t.x_stride + k]);
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::MulAdd(x, w[j], sums[i][j]);
    }
  };
  Index k = 0;
  for (; k < t.prefetch_count; ++k) {
    const auto line = static_cast<std::size_t>(t.prefetch_line + k);
    hwy::Prefetch(t.block.prefetch + line / 16 * t.block.prefetch_stride + line % 16 * 16);
    add_column(k);
  }
  for (; k < t.depth; ++k) add_column(k);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) hn::StoreU(sums[i][j], d, t.y + i * t.y_stride + j * kLanes);
}

template <int kPanels, int... kCounts>
HWY_INLINE void tile_of_rows(int rows, const Tile& t, std::integer_sequence<int, kCounts...>) {
  ((rows == kCounts + 1 ? tile_kernel<kCounts + 1, kPanels>(t) : void()), ...);
}

// One tile of `columns` columns. An edge tile, whose last panel has fewer than 16 columns, is computed in a buffer.
template <int kPanels>
void run_tile(int rows, Index columns, const Tile& t) {
  constexpr auto kCounts = std::make_integer_sequence<int, kMR>();
  if (columns == kPanels * kPanelRows) return tile_of_rows<kPanels>(rows, t, kCounts);
  HWY_ALIGN float buffer[kMR * kPanels * kPanelRows];
  Tile edge_tile = t;
  edge_tile.y = buffer;
  edge_tile.y_stride = kPanels * kPanelRows;
  for (int i = 0; t.accumulate && i < rows; ++i)
    std::copy_n(t.y + i * t.y_stride, columns, buffer + i * edge_tile.y_stride);
  tile_of_rows<kPanels>(rows, edge_tile, kCounts);
  for (int i = 0; i < rows; ++i) std::copy_n(buffer + i * edge_tile.y_stride, columns, t.y + i * t.y_stride);
}

#if HWY_TARGET != HWY_SCALAR
// The most rows of x that leave enough registers to transpose W.
constexpr int kFewRows = kMR - 1;

// Few rows of x times 16 rows of W, which are transposed in registers and used immediately.
template <int kRows>
void few_rows_kernel(View<float> y, View<float> x, const float* w, Index stride, bool accumulate) {
  const TransposeTag d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(TransposeTag())), kParts = kPanelRows / kLanes;
  Transposed sums[kRows][kParts];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) sums[i][p] = accumulate ? hn::LoadU(d, y.row(i) + p * kLanes) : hn::Zero(d);
  const auto add = [&](int p, Transposed column, Index k) HWY_ATTR {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) sums[i][p] = hn::MulAdd(hn::Set(d, x.row(i)[k]), column, sums[i][p]);
  };
  Index k = 0;
  for (; k + 4 <= x.columns; k += 4) {
    // Over sixteen columns, prefetches the next cache line of each of the 16 rows.
    for (Index row = k % 16; row < k % 16 + 4; ++row) hwy::Prefetch(w + row * stride + k + kAhead);
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) {
      Transposed columns[4];
      transpose(w + p * kLanes * stride + k, stride, columns);
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) add(p, columns[c], k + c);
    }
  }
  for (; k < x.columns; ++k) {
    HWY_ALIGN float column[kPanelRows];
    for (Index i = 0; i < kPanelRows; ++i) column[i] = w[i * stride + k];
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) add(p, hn::Load(d, column + p * kLanes), k);
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) hn::StoreU(sums[i][p], d, y.row(i) + p * kLanes);
}

template <int... kCounts>
HWY_INLINE void few_rows(View<float> y, View<float> x, const float* w, Index stride, bool accumulate,
                         std::integer_sequence<int, kCounts...>) {
  ((y.rows == kCounts + 1 ? few_rows_kernel<kCounts + 1>(y, x, w, stride, accumulate) : void()), ...);
}
#endif

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
