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
// Rows of x that leave registers enough to turn W in.
constexpr int kFewRows = kTileRows - 1;
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
  // What of W is read next, of which tiles fetch next_count lines of 16 numbers meanwhile, from next_line on: sixteen
  // lines are one after the other, the next sixteen next_stride further on.
  const float* next;
  std::size_t next_stride;
  Index depth = 0;  // columns of x and W
  bool accumulate = false;
  Index y_stride = 0, x_stride = 0;
  float* y = nullptr;
  const float* x = nullptr;
  Index next_line = 0, next_count = 0;
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
  for (; k < t.next_count; ++k) {
    const auto line = static_cast<std::size_t>(t.next_line + k);
    hwy::Prefetch(t.next + line / 16 * t.next_stride + line % 16 * 16);
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
  for (Index block = 0; block < blocks; ++block) {
    const Index row = y.rows * block / blocks, rows = y.rows * (block + 1) / blocks - row;
    t.y = y.row(row);
    t.x = x.row(row);
    // A share of the next block of W a tile: it is there when the last tile is done.
    t.next_line = t.depth * block / blocks;
    t.next_count = t.depth * (block + 1) / blocks - t.next_line;
    if (y.columns <= kPanelRows)
      multiply_tile_any<1>(static_cast<int>(rows), y.columns, t);
    else
      multiply_tile_any<kTilePanels>(static_cast<int>(rows), y.columns, t);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Rows are turned four by four numbers at a time, in each block of four lanes; a vector has one block or two.
using TurnTag = hn::CappedTag<float, 8>;
using Turned = hn::Vec<TurnTag>;

// Four numbers of a row and, in the second block, of the fourth row after it.
HWY_INLINE Turned load_blocks(const float* row, Index stride) {
#if HWY_MAX_BYTES >= 32
  const hn::Half<TurnTag> block;
  return hn::Combine(TurnTag(), hn::LoadU(block, row + 4 * stride), hn::LoadU(block, row));
#else
  (void)stride;
  return hn::LoadU(TurnTag(), row);
#endif
}

// Four columns of as many rows as a vector has lanes, which lie `stride` numbers apart.
HWY_INLINE void turn(const float* rows, Index stride, Turned (&columns)[4]) {
  const TurnTag d;
  const hn::Repartition<double, TurnTag> pairs;
  const auto pair = [&](Turned v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const auto load = [&](Index i) HWY_ATTR { return load_blocks(rows + i * stride, stride); };
  const Turned a = load(0), b = load(1), c = load(2), e = load(3);
  const auto ab = pair(hn::InterleaveLower(d, a, b)), ce = pair(hn::InterleaveLower(d, c, e));
  const auto ab_next = pair(hn::InterleaveUpper(d, a, b)), ce_next = pair(hn::InterleaveUpper(d, c, e));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, ab_next, ce_next));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_next, ce_next));
}

// Few rows of x by 16 rows of W, which are turned in registers: each number of W is used as soon as it is there.
template <int kRows>
void multiply_few(View<float> y, View<float> x, const float* w, Index stride, bool accumulate) {
  const TurnTag d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(TurnTag())), kParts = kPanelRows / kLanes;
  Turned sums[kRows][kParts];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) sums[i][p] = accumulate ? hn::LoadU(d, y.row(i) + p * kLanes) : hn::Zero(d);
  const auto add = [&](int p, Turned column, Index k) HWY_ATTR {
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) sums[i][p] = hn::MulAdd(hn::Set(d, x.row(i)[k]), column, sums[i][p]);
  };
  Index k = 0;
  for (; k + 4 <= x.columns; k += 4) {
    // A line of each row in sixteen columns.
    for (Index row = k % 16; row < k % 16 + 4; ++row) hwy::Prefetch(w + row * stride + k + kAhead);
#pragma GCC unroll 4
    for (int p = 0; p < kParts; ++p) {
      Turned columns[4];
      turn(w + p * kLanes * stride + k, stride, columns);
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
HWY_INLINE void multiply_few_of(View<float> y, View<float> x, const float* w, Index stride, bool accumulate,
                                std::integer_sequence<int, kCounts...>) {
  ((y.rows == kCounts + 1 ? multiply_few<kCounts + 1>(y, x, w, stride, accumulate) : void()), ...);
}
#endif

// A panel of at most 16 rows that lie `stride` numbers apart.
void FillPanel(float* panel, const float* rows, Index stride, Index count, Index columns) {
  Index k = 0;
#if HWY_TARGET != HWY_SCALAR
  if (count == kPanelRows) {
    constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(TurnTag()));
    for (Index row = 0; row < kPanelRows; row += kLanes) {
      for (k = 0; k + 4 <= columns; k += 4) {
        Turned turned[4];
        turn(rows + row * stride + k, stride, turned);
        for (Index c = 0; c < 4; ++c) hn::StoreU(turned[c], TurnTag(), panel + (k + c) * kPanelRows + row);
      }
    }
  }
#endif
  for (; k < columns; ++k)
    for (Index i = 0; i < kPanelRows; ++i) panel[k * kPanelRows + i] = i < count ? rows[i * stride + k] : 0.0f;
}

View<float> columns_of(View<float> v, Index from, Index count) {
  v.data += from;
  v.columns = std::min(count, v.columns - from);
  return v;
}

// The columns of y from `begin` on, block by block of `depth` columns of W. lay({column, k}, {column, k} of the next
// block, rows and columns of W) says where a block lies and what to fetch meanwhile.
struct BlockAt {
  Index column, k;
};
template <class Lay>
HWY_INLINE void multiply_blocks(View<float> y, View<float> x, Index begin, Index depth, bool accumulate, Lay lay) {
  constexpr Index kTileColumns = kTilePanels * kPanelRows;
  for (Index group = begin; group < y.columns; group += kGroup) {
    const Index end = std::min(group + kGroup, y.columns);
    for (Index k = 0; k < x.columns; k += depth) {
      const View<float> x_block = columns_of(x, k, depth);
      for (Index column = group; column < end; column += kTileColumns) {
        const View<float> y_block = columns_of(y, column, kTileColumns);
        const BlockAt next =
            column + kTileColumns < end ? BlockAt{column + kTileColumns, k} : BlockAt{group, k + depth};
        Tile tile = lay(BlockAt{column, k}, next, y_block.columns, x_block.columns);
        tile.depth = x_block.columns;
        tile.accumulate = accumulate || k > 0;
        tile.y_stride = y.stride;
        tile.x_stride = x.stride;
        multiply_block(y_block, x_block, tile);
      }
    }
  }
}

void MultiplyPanels(View<float> y, View<float> x, const float* w, Index w_stride, bool accumulate) {
  // Few rows: every number of W is used once and no more, so W is read from front to back.
  const bool once = y.rows <= kTileRows;
  const auto block = [&](BlockAt at) { return w + at.column / kPanelRows * w_stride + at.k * kPanelRows; };
  multiply_blocks(y, x, 0, once ? x.columns : kDepth, accumulate,
                  [&](BlockAt at, BlockAt next, Index /*rows*/, Index /*columns*/) {
                    return Tile{.w = block(at),
                                .w_stride = w_stride,
                                .next = once ? block(at) + kAhead * kPanelRows : block(next),
                                .next_stride = 16 * kPanelRows};
                  });
}

// The same where W lies row by row. A block of it is laid out in the first cache before it is used; for few rows of x
// that is not worth it.
void MultiplyRows(View<float> y, View<float> x, View<float> w, bool accumulate) {
  Index begin = 0;
#if HWY_TARGET != HWY_SCALAR
  for (; y.rows <= kFewRows && begin + kPanelRows <= y.columns; begin += kPanelRows)
    multiply_few_of(columns_of(y, begin, kPanelRows), x, w.row(begin), w.stride, accumulate,
                    std::make_integer_sequence<int, kFewRows>());
#endif
  HWY_ALIGN float block[kTilePanels * kPanelRows * kDepth];
  multiply_blocks(y, x, begin, kDepth, accumulate, [&](BlockAt at, BlockAt next, Index rows, Index columns) {
    for (Index row = 0; row < rows; row += kPanelRows)
      FillPanel(block + row * kDepth, w.row(at.column + row) + at.k, w.stride, std::min(kPanelRows, rows - row),
                columns);
    return Tile{.w = block,
                .w_stride = kPanelRows * kDepth,
                .next = w.row(next.column) + next.k,
                .next_stride = static_cast<std::size_t>(w.stride)};
  });
}

void MultiplyRow(View<float> y, View<float> x, const float* w, bool accumulate) {
  for (Index i = 0; i < y.rows; ++i) y.row(i)[0] = (accumulate ? y.row(i)[0] : 0.0f) + dot(x.row(i), w, x.columns);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HEED_EXPORT(FillPanel);
HEED_EXPORT(MultiplyPanels);
HEED_EXPORT(MultiplyRows);
HEED_EXPORT(MultiplyRow);

namespace {

// Calls move(panel, rows) for each panel of 16 rows with its memory and how many of its rows are there.
template <class Move>
void for_each_panel(const Tensor& x, Move move) {
  check<InternalError>(x.contiguous(), "panels of {} that are not in one piece", x.shape_string());
  auto* const data = static_cast<float*>(const_cast<void*>(x.address()));
  for (Index row = 0; row < x.rows(); row += kPanelRows)
    move(data + row * x.columns(), std::min(kPanelRows, x.rows() - row));
}

}  // namespace

void copy_to_panels(Tensor panels, Tensor dense) {
  check_shape("copy to panels", "panels", panels, dense.rows(), dense.columns());
  for_each_panel(panels, [&, row = Index{0}](float* panel, Index count) mutable {
    HEED_DISPATCH(FillPanel)(panel, dense.row<float>(row), dense.stride(), count, dense.columns());
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

void multiply_panels(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("multiply by panels", "x", x, -1, w.columns());
  check_shape("multiply by panels", "y", y, x.rows(), w.rows());
  check_same_type("multiply by panels", {y, x});
  check<InternalError>(w.type() == DType::panels, "multiply by panels: the weights are not in panels");
  check(w.columns() > 0, "multiply by panels: rows without columns");
  if (y.elements() == 0) return;
  HEED_DISPATCH(MultiplyPanels)(y, x, static_cast<const float*>(w.address()), w.stride() * kPanelRows, accumulate);
}

void multiply_rows(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("multiply by rows", "x", x, -1, w.columns());
  check_shape("multiply by rows", "y", y, x.rows(), w.rows());
  check_same_type("multiply by rows", {y, x, w});
  check(w.columns() > 0, "multiply by rows: rows without columns");
  if (y.elements() == 0) return;
  HEED_DISPATCH(MultiplyRows)(y, x, w, accumulate);
}

void multiply_row(Tensor y, Tensor x, Tensor w, bool accumulate) {
  check_shape("multiply by a row", "w", w, 1, x.columns());
  check_shape("multiply by a row", "y", y, x.rows(), 1);
  check_same_type("multiply by a row", {y, x, w});
  HEED_DISPATCH(MultiplyRow)(y, x, w.data<float>(), accumulate);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
