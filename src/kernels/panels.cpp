// The loop nest, in the names of BLIS (Van Zee and van de Geijn, 2015); y = x Wᵀ, so W's rows are y's columns:
//
//   for each group of NC columns of y           the group stays in the second cache until it is summed up
//     for each KC columns of x and W            the depth: partial sums go back to y in between
//       for each NR columns of the group        a block of W, [NR,KC] in panels, stays in the first cache
//         for each MR rows of x                 the tile y[MR,NR], in registers: simd/matmul_tile-inl.h
//
// While the tiles of a block run they prefetch the next block (the next NR columns, or the next KC of the group's first
// NR), each tile an equal part of its lines, so that it has arrived when the last tile is done. With at most MR rows
// every number of W is used only once: KC is then the whole depth, and a tile prefetches its own block, kAhead columns
// ahead of where it reads.
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

// All rows of y in the columns of one block of W.
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

// The columns of y from `begin` on, by blocks of W of `kc` columns. block_at({column, k} of the block and of the next
// one, the block's rows and columns) returns the WeightBlock.
struct BlockAt {
  Index column, k;
};
template <class GetBlock>
HWY_INLINE void run_loop_nest(View<float> y, View<float> x, Index begin, Index kc, bool accumulate, GetBlock block_at) {
  for (Index group = begin; group < y.columns; group += kNC) {
    const Index end = std::min(group + kNC, y.columns);
    for (Index k = 0; k < x.columns; k += kc) {
      const View<float> x_block = columns_of(x, k, kc);
      for (Index column = group; column < end; column += kNR) {
        const View<float> y_block = columns_of(y, column, kNR);
        const BlockAt next = column + kNR < end ? BlockAt{column + kNR, k} : BlockAt{group, k + kc};
        run_tiles(y_block, x_block,
                  Tile{.block = block_at(BlockAt{column, k}, next, y_block.columns, x_block.columns),
                       .depth = x_block.columns,
                       .accumulate = accumulate || k > 0,
                       .y_stride = y.stride,
                       .x_stride = x.stride});
      }
    }
  }
}

void MatmulPanels(View<float> y, View<float> x, const float* w, Index panel_stride, bool accumulate) {
  const bool once = y.rows <= kMR;
  const auto block = [&](BlockAt at) { return w + at.column / kPanelRows * panel_stride + at.k * kPanelRows; };
  run_loop_nest(y, x, 0, once ? x.columns : kKC, accumulate,
                [&](BlockAt at, BlockAt next, Index /*rows*/, Index /*columns*/) {
                  return WeightBlock{.w = block(at),
                                     .panel_stride = panel_stride,
                                     .prefetch = once ? block(at) + kAhead * kPanelRows : block(next),
                                     .prefetch_stride = 16 * kPanelRows};
                });
}

// The same with W row by row. A block of it is packed in the first cache before it is used; for few rows of x, which
// would not repay that, it is transposed in registers.
void MatmulRows(View<float> y, View<float> x, View<float> w, bool accumulate) {
  Index begin = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; y.rows <= kFewRows && begin + kPanelRows <= y.columns; begin += kPanelRows)
    few_rows(columns_of(y, begin, kPanelRows), x, w.row(begin), w.stride, accumulate,
             std::make_integer_sequence<int, kFewRows>());
#endif
  HWY_ALIGN float packed[kNR * kKC];
  run_loop_nest(y, x, begin, kKC, accumulate, [&](BlockAt at, BlockAt next, Index rows, Index columns) {
    for (Index row = 0; row < rows; row += kPanelRows)
      PackPanel(packed + row * kKC, w.row(at.column + row) + at.k, w.stride, std::min(kPanelRows, rows - row), columns);
    return WeightBlock{.w = packed,
                       .panel_stride = kPanelRows * kKC,
                       .prefetch = w.row(next.column) + next.k,
                       .prefetch_stride = static_cast<std::size_t>(w.stride)};
  });
}

void MatmulRow(View<float> y, View<float> x, const float* w, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) y.row(i)[0] = (accumulate ? y.row(i)[0] : 0.0f) + dot(x.row(i), w, x.columns);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HEED_EXPORT(PackPanel);
HEED_EXPORT(MatmulPanels);
HEED_EXPORT(MatmulRows);
HEED_EXPORT(MatmulRow);

namespace {

// Calls move(panel, rows) for each panel of 16 rows with its memory and the number of its rows.
template <class Move>
void for_each_panel(const Tensor& x, Move move) {
  check<InternalError>(x.contiguous(), "panels of {} that are not contiguous", x.shape_string());
  auto* const data = static_cast<float*>(const_cast<void*>(x.address()));
  for (Index row = 0; row < x.rows(); row += kPanelRows)
    move(data + row * x.columns(), std::min(kPanelRows, x.rows() - row));
}

}  // namespace

void copy_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels", "panels", panels, dense.rows(), dense.columns());
  for_each_panel(panels, [&, row = Index{0}](float* panel, Index count) mutable {
    HEED_DISPATCH(PackPanel)(panel, dense.row<float>(row), dense.stride(), count, dense.columns());
    row += kPanelRows;
  });
}

void copy_transposed_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels, transposed", "panels", panels, dense.columns(), dense.rows());
  for_each_panel(panels, [&, column = Index{0}](float* panel, Index count) mutable {
    for (Index k = 0; k < dense.rows(); ++k) {
      const float* const from = dense.row<float>(k) + column;
      if (count == kPanelRows)
        std::copy_n(from, kPanelRows, panel + k * kPanelRows);
      else
        std::fill(std::copy_n(from, count, panel + k * kPanelRows), panel + (k + 1) * kPanelRows, 0.0f);
    }
    column += kPanelRows;
  });
}

void matmul_panels(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("matmul by panels", "x", x, -1, w.columns());
  check_shape("matmul by panels", "y", y, x.rows(), w.rows());
  check_same_type("matmul by panels", {y, x});
  check<InternalError>(w.type() == DType::panels, "matmul by panels: the weights are not in panels");
  check(w.columns() > 0, "matmul by panels: rows without columns");
  if (y.elements() == 0) return;
  HEED_DISPATCH(MatmulPanels)(y, x, static_cast<const float*>(w.address()), w.stride() * kPanelRows, accumulate);
}

void matmul_rows(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("matmul by rows", "x", x, -1, w.columns());
  check_shape("matmul by rows", "y", y, x.rows(), w.rows());
  check_same_type("matmul by rows", {y, x, w});
  check(w.columns() > 0, "matmul by rows: rows without columns");
  if (y.elements() == 0) return;
  HEED_DISPATCH(MatmulRows)(y, x, w, accumulate);
}

void matmul_row(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("matmul by a row", "w", w, 1, x.columns());
  check_shape("matmul by a row", "y", y, x.rows(), 1);
  check_same_type("matmul by a row", {y, x, w});
  HEED_DISPATCH(MatmulRow)(y, x, w.data<float>(), accumulate);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
