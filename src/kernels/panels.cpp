// The loop nest of y = x Wᵀ, in the terms of BLIS (Van Zee and van de Geijn 2015). W's rows are y's columns:
//
//   for each group of NC columns of y           stays in the L2 cache until all its sums are complete
//     for each KC columns of x and W            partial sums are stored in y in between
//       for each NR columns of the group        a block of W, [NR,KC] in panels, stays in the L1 cache
//         for each MR rows of x                 the micro-kernel: a tile y[MR,NR] in registers (simd/matmul_tile-inl.h)
//
// While the tiles of a block run, they prefetch the next block (the next NR columns, or the next KC of the group's
// first NR). Each tile prefetches an equal part of its cache lines, so the block has arrived when the last tile is
// done. With at most MR rows of x, every number of W is used only once: KC is then the whole depth, and a tile
// prefetches its own block, kAhead columns ahead of where it reads.
#include "kernels/panels.h"

#include "kernels/dispatch.h"
#include "kernels/view.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/panels.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/matmul_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

constexpr Index kKC = 256;
constexpr Index kNC = 128;

// The innermost loop: all rows of y, in the columns that one block of W computes.
void run_tiles(View<float> y, View<float> x, Tile t) {
  const Index tiles = (y.rows + kMR - 1) / kMR;
  for (Index tile = 0; tile < tiles; ++tile) {
    const Index row = y.rows * tile / tiles, rows = y.rows * (tile + 1) / tiles - row;
    t.y = y.row(row);
    t.x = x.row(row);
    t.prefetch_line = t.depth * tile / tiles;
    t.prefetch_count = t.depth * (tile + 1) / tiles - t.prefetch_line;
    if (y.columns <= kPanelRows)
      run_tile<1>(static_cast<int>(rows), y.columns, t);
    else
      run_tile<kTilePanels>(static_cast<int>(rows), y.columns, t);
  }
}

View<float> columns_of(View<float> v, Index from, Index count) {
  v.data += from;
  v.columns = std::min(count, v.columns - from);
  return v;
}

// Where a block of W begins: at row `column`, which is a column of y, and at column `k`.
struct BlockAt {
  Index column, k;
};
// The outer loops over the columns of y from `begin` on, with blocks of `kc` columns of W. get_block(at, next, rows,
// columns) returns the block at `at`; `next` is the block to prefetch.
template <class GetBlock>
HWY_INLINE void run_loop_nest(View<float> y, View<float> x, Index begin, Index kc, bool accumulate,
                              GetBlock get_block) {
  for (Index group = begin; group < y.columns; group += kNC) {
    const Index end = std::min(group + kNC, y.columns);
    for (Index k = 0; k < x.columns; k += kc) {
      const View<float> x_block = columns_of(x, k, kc);
      for (Index column = group; column < end; column += kNR) {
        const View<float> y_block = columns_of(y, column, kNR);
        const BlockAt next = column + kNR < end ? BlockAt{column + kNR, k} : BlockAt{group, k + kc};
        run_tiles(y_block, x_block,
                  Tile{.block = get_block(BlockAt{column, k}, next, y_block.columns, x_block.columns),
                       .depth = x_block.columns,
                       .accumulate = accumulate || k > 0,
                       .y_stride = y.stride,
                       .x_stride = x.stride});
      }
    }
  }
}

void matmul_panels(View<float> y, View<float> x, const float* w, Index panel_stride, bool accumulate) {
  const bool once = y.rows <= kMR;  // every number of W is used once
  const auto block = [&](BlockAt at) { return w + at.column / kPanelRows * panel_stride + at.k * kPanelRows; };
  run_loop_nest(y, x, 0, once ? x.columns : kKC, accumulate,
                [&](BlockAt at, BlockAt next, Index /*rows*/, Index /*columns*/) {
                  return WeightBlock{.w = block(at),
                                     .panel_stride = panel_stride,
                                     .prefetch = once ? block(at) + kAhead * kPanelRows : block(next),
                                     .prefetch_stride = 16 * kPanelRows};
                });
}

// The same with a row-major W. A block of W is packed in the L1 cache before it is used; with few rows of x, for which
// packing would not pay off, it is transposed in registers.
void matmul_rows(View<float> y, View<float> x, View<float> w, bool accumulate) {
  Index begin = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; y.rows <= kFewRows && begin + kPanelRows <= y.columns; begin += kPanelRows)
    few_rows(columns_of(y, begin, kPanelRows), x, w.row(begin), w.stride, accumulate,
             std::make_integer_sequence<int, kFewRows>());
#endif
  HWY_ALIGN float packed[kNR * kKC];
  run_loop_nest(y, x, begin, kKC, accumulate, [&](BlockAt at, BlockAt next, Index rows, Index columns) {
    for (Index row = 0; row < rows; row += kPanelRows)
      pack_panel(packed + row * kKC, w.row(at.column + row) + at.k, w.stride, std::min(kPanelRows, rows - row),
                 columns);
    return WeightBlock{.w = packed,
                       .panel_stride = kPanelRows * kKC,
                       .prefetch = w.row(next.column) + next.k,
                       .prefetch_stride = static_cast<std::size_t>(w.stride)};
  });
}

void matmul_row(View<float> y, View<float> x, const float* w, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) y.row(i)[0] = (accumulate ? y.row(i)[0] : 0.0f) + dot(x.row(i), w, x.columns);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

float* panel_data(const Tensor& panels) {
  check<InternalError>(panels.contiguous(), "panels of {} that are not contiguous", panels.shape_string());
  return static_cast<float*>(panels.address());
}

}  // namespace

void copy_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels", "panels", panels, dense.rows(), dense.columns());
  float* const data = panel_data(panels);
  const auto pack = HEED_DISPATCH(pack_panel);
  for (Index row = 0; row < dense.rows(); row += kPanelRows)
    pack(data + row * dense.columns(), dense.row<float>(row), dense.stride(), std::min(kPanelRows, dense.rows() - row),
         dense.columns());
}

void copy_transposed_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels, transposed", "panels", panels, dense.columns(), dense.rows());
  float* to = panel_data(panels);
  for (Index column = 0; column < dense.columns(); column += kPanelRows) {
    const Index count = std::min(kPanelRows, dense.columns() - column);
    for (Index k = 0; k < dense.rows(); ++k, to += kPanelRows) {
      const float* const from = dense.row<float>(k) + column;
      if (count == kPanelRows)
        std::copy_n(from, kPanelRows, to);
      else
        std::fill(std::copy_n(from, count, to), to + kPanelRows, 0.0f);
    }
  }
}

void matmul_invariant(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("matmul_invariant", "x", x, -1, w.columns());
  check_shape("matmul_invariant", "y", y, x.rows(), w.rows());
  check_same_type("matmul_invariant", {y, x});
  check(w.columns() > 0, "matmul_invariant: rows without columns");
  if (y.elements() == 0) return;
  if (w.type() == DType::panels)
    return HEED_DISPATCH(matmul_panels)(y, x, static_cast<float*>(w.address()), w.stride() * kPanelRows, accumulate);
  if (w.rows() == 1) return HEED_DISPATCH(matmul_row)(y, x, w.data<float>(), accumulate);
  HEED_DISPATCH(matmul_rows)(y, x, w, accumulate);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
