#include "kernels/panels.h"

#include <hwy/cache_control.h>

#include <vector>

#include "kernels/dispatch.h"
#include "kernels/view.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/panels.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// A tile of y is kept in registers: kTileRows rows of kTilePanels panels. The sizes follow from how many registers
// there are: 32 with AVX-512, 16 before.
using PanelTag = hn::CappedTag<float, kPanelRows>;
constexpr int kVectors = static_cast<int>(kPanelRows / static_cast<Index>(hn::MaxLanes(PanelTag())));  // of a panel
constexpr int kTilePanels = kVectors == 1 ? 2 : 1;
constexpr int kTileRows = kVectors == 1 ? 12 : kVectors == 2 ? 6 : 2;
// Columns of W at a time: a panel's block stays in the first cache while all rows of x pass by it.
constexpr Index kDepth = 256;
// Columns of y at a time: they stay in the second cache, with the block of x, until they are summed up.
constexpr Index kGroup = 128;
// Columns of W that are fetched ahead where it is read from front to back.
constexpr Index kAhead = 64;

// Where a tile reads and writes.
struct Tile {
  const float* w;
  Index w_stride;  // from panel to panel
  Index depth;     // columns of x and W
  bool accumulate;
  const float* next;  // where W is read next; next_columns of it are fetched meanwhile
  Index y_stride, x_stride;
  float* y = nullptr;
  const float* x = nullptr;
  Index next_columns = 0;
};

template <int kRows, int kPanels>
void multiply_tile(const Tile& t) {
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
      w[j] = hn::LoadU(d, t.w + j / kVectors * t.w_stride + k * kPanelRows + j % kVectors * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const W x = hn::Set(d, t.x[i * t.x_stride + k]);
#pragma GCC unroll 4
      for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::MulAdd(x, w[j], sums[i][j]);
    }
  };
  Index k = 0;
  for (; k < t.next_columns; ++k) {
    hwy::Prefetch(t.next + k * kPanelRows);
    add_column(k);
  }
  for (; k < t.depth; ++k) add_column(k);
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kColumns; ++j) hn::StoreU(sums[i][j], d, t.y + i * t.y_stride + j * kLanes);
}

template <int kPanels, int... kCounts>
HWY_INLINE void multiply_tile_of(int rows, const Tile& t, std::integer_sequence<int, kCounts...>) {
  ((rows == kCounts + 1 ? multiply_tile<kCounts + 1, kPanels>(t) : void()), ...);
}

// One tile of `columns` columns, of which the last panel may have fewer than 16: those go through a whole one aside.
template <int kPanels>
void multiply_tile_any(int rows, Index columns, const Tile& t) {
  constexpr auto kCounts = std::make_integer_sequence<int, kTileRows>();
  if (columns == kPanels * kPanelRows) return multiply_tile_of<kPanels>(rows, t, kCounts);
  HWY_ALIGN float whole[kTileRows * kPanels * kPanelRows];
  Tile aside = t;
  aside.y = whole;
  aside.y_stride = kPanels * kPanelRows;
  for (int i = 0; t.accumulate && i < rows; ++i) std::copy_n(t.y + i * t.y_stride, columns, whole + i * aside.y_stride);
  multiply_tile_of<kPanels>(rows, aside, kCounts);
  for (int i = 0; i < rows; ++i) std::copy_n(whole + i * aside.y_stride, columns, t.y + i * t.y_stride);
}

// All rows of y in the columns of one or two panels, from a block of W's columns.
void multiply_block(View<float> y, View<float> x, Tile t) {
  const Index blocks = (y.rows + kTileRows - 1) / kTileRows;
  const float* const next = t.next;
  for (Index block = 0; block < blocks; ++block) {
    const Index row = y.rows * block / blocks, rows = y.rows * (block + 1) / blocks - row;
    t.y = y.row(row);
    t.x = x.row(row);
    // A share of the next block of W a tile: it is there when the last tile is done.
    const Index from = t.depth * block / blocks, to = t.depth * (block + 1) / blocks;
    t.next = next + from * kPanelRows;
    t.next_columns = to - from;
    if (y.columns <= kPanelRows)
      multiply_tile_any<1>(static_cast<int>(rows), y.columns, t);
    else
      multiply_tile_any<kTilePanels>(static_cast<int>(rows), y.columns, t);
  }
}

void MultiplyPanels(View<float> y, View<float> x, const float* w, Index w_stride, bool accumulate) {
  constexpr Index kTileColumns = kTilePanels * kPanelRows;
  const auto columns_of = [](View<float> v, Index from, Index count) {
    v.data += from;
    v.columns = std::min(count, v.columns - from);
    return v;
  };
  // Few rows: every number of W is used once and no more, so W is read from front to back.
  const bool once = y.rows <= kTileRows;
  const Index depth = once ? x.columns : kDepth;
  for (Index group = 0; group < y.columns; group += kGroup) {
    const Index end = std::min(group + kGroup, y.columns);
    for (Index k = 0; k < x.columns; k += depth) {
      const View<float> x_block = columns_of(x, k, depth);
      for (Index column = group; column < end; column += kTileColumns) {
        const float* const first = w + k * kPanelRows;
        const float* const here = first + column / kPanelRows * w_stride;
        const bool last = column + kTileColumns >= end;
        multiply_block(columns_of(y, column, kTileColumns), x_block,
                       {.w = here,
                        .w_stride = w_stride,
                        .depth = x_block.columns,
                        .accumulate = accumulate || k > 0,
                        .next = once   ? here + kAhead * kPanelRows
                                : last ? first + group / kPanelRows * w_stride + kDepth * kPanelRows
                                       : first + (column + kTileColumns) / kPanelRows * w_stride,
                        .y_stride = y.stride,
                        .x_stride = x.stride});
      }
    }
  }
}

void MultiplyRow(View<float> y, View<float> x, const float* w, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) y.row(i)[0] = (accumulate ? y.row(i)[0] : 0.0f) + dot(x.row(i), w, x.columns);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HEED_EXPORT(MultiplyPanels);
HEED_EXPORT(MultiplyRow);

namespace {

// Calls move(panel, rows) for each panel of 16 rows with its memory and how many of its rows are there.
template <class Move>
void for_each_panel(const Tensor& x, Move move) {
  check<InternalError>(x.contiguous(), "a {} matrix that is not in one piece cannot change its layout",
                       x.shape_string());
  auto* const data = static_cast<float*>(const_cast<void*>(x.address()));
  for (Index row = 0; row < x.rows(); row += kPanelRows)
    move(data + row * x.columns(), std::min(kPanelRows, x.rows() - row));
}

// The panel of at most 16 rows that lie elsewhere.
void fill_panel(float* panel, const Tensor& dense) {
  const View<float> rows = dense;
  for (Index k = 0; k < rows.columns; ++k)
    for (Index i = 0; i < kPanelRows; ++i) panel[k * kPanelRows + i] = i < rows.rows ? rows.row(i)[k] : 0.0f;
}

}  // namespace

void copy_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels", "panels", panels, dense.rows(), dense.columns());
  for_each_panel(panels, [&, row = Index{0}](float* panel, Index count) mutable {
    fill_panel(panel, dense.slice_rows(row, count));
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

Tensor to_panels(Tensor dense) {
  check<InternalError>(dense.type() == DType::f32, "only an f32 matrix can be laid out in panels");
  const Index columns = dense.columns();
  std::vector<float> rows(static_cast<std::size_t>(kPanelRows * columns));
  for_each_panel(dense, [&](float* panel, Index count) {
    std::copy_n(panel, count * columns, rows.data());
    fill_panel(panel, {rows.data(), DType::f32, count, columns});
  });
  return as_panels(dense);
}

Tensor as_panels(Tensor dense) {
  return {const_cast<void*>(dense.address()), DType::panels, dense.rows(), dense.columns()};
}

Tensor from_panels(Tensor panels) {
  check<InternalError>(panels.type() == DType::panels, "a matrix that is not in panels cannot be taken out of them");
  const Index columns = panels.columns();
  std::vector<float> rows(static_cast<std::size_t>(kPanelRows * columns));
  for_each_panel(panels, [&](float* panel, Index) {
    std::copy_n(panel, kPanelRows * columns, rows.data());
    for (Index i = 0; i < kPanelRows; ++i)
      for (Index k = 0; k < columns; ++k) panel[i * columns + k] = rows[static_cast<std::size_t>(k * kPanelRows + i)];
  });
  return {const_cast<void*>(panels.address()), DType::f32, panels.rows(), columns};
}

void multiply_panels(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("multiply by panels", "x", x, -1, w.columns());
  check_shape("multiply by panels", "y", y, x.rows(), w.rows());
  check_same_type("multiply by panels", {y, x});
  check<InternalError>(w.type() == DType::panels, "multiply by panels: the weights are not in panels");
  check(w.columns() > 0, "multiply by panels: rows without columns");
  if (y.elements() == 0) return;
  HEED_DISPATCH(MultiplyPanels)(y, x, static_cast<const float*>(w.address()), w.stride() * kPanelRows, accumulate);
}

void multiply_row(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("multiply by a row", "w", w, 1, x.columns());
  check_shape("multiply by a row", "y", y, x.rows(), 1);
  check_same_type("multiply by a row", {y, x, w});
  HEED_DISPATCH(MultiplyRow)(y, x, w.data<float>(), accumulate);
}

void gather_from_panels(Tensor out, Tensor x, Ids index) {
  const auto* const data = static_cast<const float*>(x.address());
  for (Index i = 0; i < out.rows(); ++i) {
    const Index row = index[static_cast<std::size_t>(i)];
    const float* const from = data + row / kPanelRows * kPanelRows * x.stride() + row % kPanelRows;
    for (Index k = 0; k < x.columns(); ++k) out.row<float>(i)[k] = from[k * kPanelRows];
  }
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
