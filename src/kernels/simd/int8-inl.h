// The loops of kernels/int8.cpp. Included once per instruction set, and with AVX-512 once more for processors with VNNI
// (HEED_INT8_VNNI is 1), so it has no guard.
//
// The processor multiplies groups of integers and adds the products of a group to a 32-bit sum: two 16-bit integers
// (pmaddwd), or with VNNI four 8-bit ones (vpdpbusd), of which those of W must be unsigned. There 128 is added to W,
// and 128 times the sum of the row of x is subtracted in the end. Inputs are stored in groups too, each row padded with
// zeros to a multiple of 64.
//
// With many rows of x, a block of W is packed before it is used: the same group of as many rows as a vector has lanes
// lies together, so that a tile of y can be summed in registers with one row of W per lane. With few rows, for which
// packing would not pay off, a lane sums part of a row of W, and the lanes are added in the end.
#include <hwy/cache_control.h>

#include <cstring>

#include "kernels/ref/int8.h"
#include "kernels/simd/vector-inl.h"

#undef HEED_INT8_ATTR  // HWY_ATTR of this file, for lambdas
#if HEED_INT8_VNNI
#define HEED_INT8_ATTR __attribute__((target(HWY_TARGET_STR ",avx512vnni")))
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
#else
#define HEED_INT8_ATTR HWY_ATTR
HWY_BEFORE_NAMESPACE();
#endif
namespace heed::kernels::HWY_NAMESPACE {
#if HEED_INT8_VNNI
namespace vnni {
using Integer = std::int8_t;
constexpr std::int32_t kOffset = 128;
#else
namespace madd {
using Integer = std::int16_t;
constexpr std::int32_t kOffset = 0;
#endif

constexpr Index kGroup = 4 / sizeof(Integer);
constexpr Index padded(Index columns) {
  return (columns + 63) / 64 * 64;
}

#if HWY_TARGET == HWY_SCALAR

inline void quantize(std::byte* to, std::int32_t* /*sums*/, View<float> x, const float* factors) {
  auto* const integers = reinterpret_cast<Integer*>(to);
  for (Index i = 0; i < x.rows; ++i)
    for (Index k = 0; k < x.columns; ++k)
      integers[i * padded(x.columns) + k] = static_cast<Integer>(ref::rounded(x.row(i)[k], factors[k]));
}

inline void product(View<float> y, const std::byte* x, const std::int32_t* /*sums*/, const Int8Weights& w,
                    bool accumulate, std::int32_t* /*packed*/) {
  ref::matmul_int8(y, reinterpret_cast<const Integer*>(x), padded(w.columns), w, accumulate);
}

#else

using SumTag = hn::ScalableTag<std::int32_t>;  // as many lanes as D
using Sum = hn::Vec<SumTag>;
constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(SumTag()));
constexpr Index kStep = kLanes * kGroup;          // integers per vector
constexpr Index kChunk = 4 * kGroup;              // integers per block of 128 bits
constexpr int kTileVectors = 2;                   // columns of a tile, in vectors
constexpr int kTileRows = kLanes == 16 ? 12 : 5;  // rows of a tile: leaves registers for W and x
constexpr int kDotRows = kLanes == 16 ? 4 : 2;    // rows of x that are summed together without packing
constexpr Index kFewRows = kLanes == 16 ? 4 : 8;  // with more rows, packing pays off
constexpr Index kBlock = kTileVectors * kLanes;   // columns of y that are computed together
static_assert(kBlock % 8 == 0 && kBlock <= 32);

HWY_INLINE Sum multiply_add(Sum w, Sum x, Sum sum) {
#if HEED_INT8_VNNI
  return Sum{_mm512_dpbusd_epi32(sum.raw, w.raw, x.raw)};
#else
  const hn::Repartition<std::int16_t, SumTag> d;
  Sum unused = sum;
  return hn::ReorderWidenMulAccumulate(SumTag(), hn::BitCast(d, w), hn::BitCast(d, x), sum, unused);
#endif
}

// Rows of inputs as integers, and the sum of each row.
inline void quantize(std::byte* to, std::int32_t* sums, View<float> x, const float* factors) {
  const SumTag d;
  const hn::Rebind<Integer, SumTag> narrow;
  for (Index i = 0; i < x.rows; ++i) {
    auto* const row = reinterpret_cast<Integer*>(to) + i * padded(x.columns);
    Sum sum = hn::Zero(d);
    const auto convert = [&](V value, V factor, Index k) HWY_ATTR {
      const V limited = hn::Min(hn::Max(hn::Mul(value, factor), set(-127.0f)), set(127.0f));
      const Sum integers = hn::NearestInt(limited);
      sum = hn::Add(sum, integers);
      hn::StoreU(hn::DemoteTo(narrow, integers), narrow, row + k);
    };
    Index k = 0;
    for (; k + kLanes <= x.columns; k += kLanes) convert(load(Whole{}, x.row(i) + k), load(Whole{}, factors + k), k);
    if (k < x.columns) {
      const Part part{static_cast<std::size_t>(x.columns - k)};
      convert(load(part, x.row(i) + k), load(part, factors + k), k);
      k += kLanes;
    }
    std::memset(row + k, 0, static_cast<std::size_t>(padded(x.columns) - k) * sizeof(Integer));
    sums[i] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

// What a block of columns of y needs besides x.
struct Block {
  Index columns = 0;
  const std::int8_t* rows[kBlock + 8];               // of W, then the next ones, to prefetch
  const float* scales = nullptr;                     // by column
  const float* bias = nullptr;                       // by column; null: none
  float chosen_scales[kBlock], chosen_bias[kBlock];  // if only some words are computed
};

inline void set_block(Block& block, const Int8Weights& w, Index from, Index end) {
  block.columns = std::min(kBlock, end - from);
  // Beyond the end, the last row is computed in vain.
  for (Index j = 0; j < kBlock + 8; ++j) block.rows[j] = w.row(std::min(from + j, end - 1));
  block.scales = w.scales + from;
  block.bias = w.bias == nullptr ? nullptr : w.bias + from;
  if (w.words == nullptr) return;
  for (Index j = 0; j < block.columns; ++j) {
    block.chosen_scales[j] = w.scales[w.row_of(from + j)];
    if (w.bias != nullptr) block.chosen_bias[j] = w.bias[w.row_of(from + j)];
  }
  block.scales = block.chosen_scales;
  if (w.bias != nullptr) block.bias = block.chosen_bias;
}

// The rows of x and y that a tile computes.
struct Rows {
  float* y;
  Index y_stride;
  const Integer* x;
  Index x_stride;
  const std::int32_t* sums;
  bool accumulate;
};

// y from the sums of its products, whose rows lie kBlock apart.
inline void finish(const Rows& t, Index rows, const Block& block, const std::int32_t* totals) {
  for (Index i = 0; i < rows; ++i) {
    float* const y = t.y + i * t.y_stride;
    for_each(block.columns, [&](auto part, Index column) HWY_ATTR {
      Sum sum = hn::Load(SumTag(), totals + i * kBlock + column);
      if constexpr (kOffset != 0) sum = hn::Sub(sum, hn::Set(SumTag(), kOffset * t.sums[i]));
      V value = hn::Mul(hn::ConvertTo(D(), sum), load(part, block.scales + column));
      if (block.bias != nullptr) value = hn::Add(load(part, block.bias + column), value);
      store(part, t.accumulate ? hn::Add(load(part, y + column), value) : value, y + column);
    });
  }
}

// The integers of a row of W as they are multiplied: 16 bytes or, widened, 8.
using ChunkTag = hn::Simd<std::int32_t, 4, 0>;
HWY_INLINE hn::Vec<ChunkTag> load_chunk(const std::int8_t* w) {
#if HEED_INT8_VNNI
  const hn::Repartition<std::int8_t, ChunkTag> bytes;
  return hn::BitCast(ChunkTag(), hn::Xor(hn::LoadU(bytes, w), hn::Set(bytes, -128)));  // adds 128
#else
  const hn::Repartition<std::int16_t, ChunkTag> wide;
  return hn::BitCast(ChunkTag(), hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::int8_t, decltype(wide)>(), w)));
#endif
}
HWY_INLINE Sum load_vector(const std::int8_t* w) {
#if HEED_INT8_VNNI
  const hn::Repartition<std::int8_t, SumTag> bytes;
  return hn::BitCast(SumTag(), hn::Xor(hn::LoadU(bytes, w), hn::Set(bytes, -128)));
#else
  const hn::Repartition<std::int16_t, SumTag> wide;
  return hn::BitCast(SumTag(), hn::PromoteTo(wide, hn::LoadU(hn::Rebind<std::int8_t, decltype(wide)>(), w)));
#endif
}

// The same chunk of four rows per 128 bits: rows[0], rows[4], …
HWY_INLINE Sum load_chunks(const std::int8_t* const* rows, Index k) {
#if HWY_MAX_BYTES >= 64
  const hn::Half<SumTag> half;
  return hn::Combine(SumTag(), hn::Combine(half, load_chunk(rows[12] + k), load_chunk(rows[8] + k)),
                     hn::Combine(half, load_chunk(rows[4] + k), load_chunk(rows[0] + k)));
#elif HWY_MAX_BYTES >= 32
  return hn::Combine(SumTag(), load_chunk(rows[4] + k), load_chunk(rows[0] + k));
#else
  return load_chunk(rows[0] + k);
#endif
}

// Packs kLanes rows of W: group g of all rows lies at packed + g * kLanes.
HWY_INLINE void pack(std::int32_t* packed, const std::int8_t* const* rows, Index columns) {
  const SumTag d;
  const hn::Repartition<std::int64_t, SumTag> pairs;
  for (Index k = 0; k < columns; k += kChunk, packed += 4 * kLanes) {
    std::int8_t tails[kLanes][kChunk];
    const std::int8_t* tail_rows[kLanes];
    const std::int8_t* const* from = rows;
    Index at = k;
    if (k + kChunk > columns) {  // the last chunk: nothing after the end of a row is read
      std::memset(tails, 0, sizeof tails);
      for (Index i = 0; i < kLanes; ++i) {
        std::memcpy(tails[i], rows[i] + k, static_cast<std::size_t>(columns - k));
        tail_rows[i] = tails[i];
      }
      from = tail_rows, at = 0;
    }
    const Sum a = load_chunks(from, at), b = load_chunks(from + 1, at), c = load_chunks(from + 2, at),
              e = load_chunks(from + 3, at);
    const auto ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto ab_next = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto ce_next = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), d, packed);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)), d, packed + kLanes);
    hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, ab_next, ce_next)), d, packed + 2 * kLanes);
    hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, ab_next, ce_next)), d, packed + 3 * kLanes);
  }
}

// Cache lines to prefetch while a tile runs.
struct Lines {
  const std::int8_t* first;
  Index count;
};

HWY_INLINE Sum broadcast_group(const Integer* x) {
  std::int32_t group;
  std::memcpy(&group, x, sizeof group);
  return hn::Set(SumTag(), group);
}

// kRows rows of x times a packed block; the two vectors of a group lie `groups` * kLanes apart.
template <int kRows>
void tile(const Rows& t, const Block& block, const std::int32_t* packed, Index groups, Lines lines) {
  const SumTag d;
  Sum sums[kRows][kTileVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) sums[i][j] = hn::Zero(d);
  const auto add_group = [&](Index g) HEED_INT8_ATTR {
    const Sum first = hn::Load(d, packed + g * kLanes), second = hn::Load(d, packed + (groups + g) * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
      const Sum x = broadcast_group(t.x + i * t.x_stride + g * kGroup);
      sums[i][0] = multiply_add(first, x, sums[i][0]);
      sums[i][1] = multiply_add(second, x, sums[i][1]);
    }
  };
  Index g = 0;
  for (const Index count = std::min(lines.count, groups); g < count; ++g) {
    hwy::Prefetch(lines.first + g * 64);
    if (g + groups < lines.count) hwy::Prefetch(lines.first + (g + groups) * 64);  // never more than two per group
    add_group(g);
  }
  for (; g < groups; ++g) add_group(g);
  HWY_ALIGN std::int32_t totals[kRows * kBlock];
#pragma GCC unroll 16
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) hn::Store(sums[i][j], d, totals + i * kBlock + j * kLanes);
  finish(t, kRows, block, totals);
}

template <int... kCounts>
HWY_INLINE void tile_of_rows(Index rows, const Rows& t, const Block& block, const std::int32_t* packed, Index groups,
                             Lines lines, std::integer_sequence<int, kCounts...>) {
  ((rows == kCounts + 1 ? tile<kCounts + 1>(t, block, packed, groups, lines) : void()), ...);
}

// The sums of the lanes of four vectors.
HWY_INLINE hn::Vec<ChunkTag> sum_lanes_of_four(Sum a, Sum b, Sum c, Sum e) {
  const SumTag d;
  const hn::Repartition<std::int64_t, SumTag> pairs;
  const auto ab = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b)));
  const auto ce = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e)));
  const Sum all =
      hn::Add(hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce)));
#if HWY_MAX_BYTES >= 64
  const hn::Half<SumTag> half;
  const auto two = hn::Add(hn::LowerHalf(half, all), hn::UpperHalf(half, all));
  return hn::Add(hn::LowerHalf(ChunkTag(), two), hn::UpperHalf(ChunkTag(), two));
#elif HWY_MAX_BYTES >= 32
  return hn::Add(hn::LowerHalf(ChunkTag(), all), hn::UpperHalf(ChunkTag(), all));
#else
  return all;
#endif
}

// Writes the sums of kRows rows of x times kColumns rows of W to totals, whose rows lie kBlock apart. With
// `prefetch`, fetches the next rows of W.
template <int kRows, int kColumns>
void dot_tile(std::int32_t* totals, const Rows& t, const std::int8_t* const* w, Index columns, bool prefetch) {
  Sum sums[kRows][kColumns];
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::Zero(SumTag());
  const auto add = [&](const std::int8_t* const* rows, Index at, Index k) HEED_INT8_ATTR {
    Sum x[kRows];
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
      x[i] = hn::BitCast(SumTag(), hn::LoadU(hn::Repartition<Integer, SumTag>(), t.x + i * t.x_stride + k));
#pragma GCC unroll 8
    for (int j = 0; j < kColumns; ++j) {
      const Sum weights = load_vector(rows[j] + at);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) sums[i][j] = multiply_add(weights, x[i], sums[i][j]);
    }
  };
  Index k = 0;
  for (; k + kStep <= columns; k += kStep) {
    if (prefetch && k % 64 == 0)
#pragma GCC unroll 8
      for (int j = 0; j < kColumns; ++j) hwy::Prefetch(w[kColumns + j] + k);
    add(w, k, k);
  }
  if (k < columns) {
    std::int8_t tails[kColumns][kStep];
    const std::int8_t* rows[kColumns];
    std::memset(tails, 0, sizeof tails);
    for (int j = 0; j < kColumns; ++j) {
      std::memcpy(tails[j], w[j] + k, static_cast<std::size_t>(columns - k));
      rows[j] = tails[j];
    }
    add(rows, 0, k);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < kColumns; j += 4)
      hn::StoreU(sum_lanes_of_four(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]), ChunkTag(),
                 totals + i * kBlock + j);
}

template <int kRows>
void dot_rows(const Rows& t, const Block& block, Index columns, bool prefetch) {
  constexpr int kColumns = kRows == 1 ? 8 : 4;
  HWY_ALIGN std::int32_t totals[kRows * kBlock] = {};
  for (Index j = 0; j < block.columns; j += kColumns)
    dot_tile<kRows, kColumns>(totals + j, t, block.rows + j, columns, prefetch);
  finish(t, kRows, block, totals);
}

template <int... kCounts>
HWY_INLINE void dot_of_rows(Index rows, const Rows& t, const Block& block, Index columns, bool prefetch,
                            std::integer_sequence<int, kCounts...>) {
  ((rows == kCounts + 1 ? dot_rows<kCounts + 1>(t, block, columns, prefetch) : void()), ...);
}

// y = x Wᵀ; `packed` has room for kBlock rows of W, widened and padded.
inline void product(View<float> y, const std::byte* x, const std::int32_t* sums, const Int8Weights& w, bool accumulate,
                    std::int32_t* packed) {
  const Index width = padded(w.columns), groups = (w.columns + kChunk - 1) / kChunk * 4;
  const bool packs = y.rows > kFewRows;
  const Index tile_rows = packs ? kTileRows : kDotRows;
  const Index tiles = (y.rows + tile_rows - 1) / tile_rows;
  Block block;
  for (Index column = 0; column < y.columns; column += kBlock) {
    set_block(block, w, column, y.columns);
    for (Index j = 0; packs && j < kTileVectors; ++j)
      pack(packed + j * groups * kLanes, block.rows + j * kLanes, w.columns);
    // The next block is consecutive in memory if whole rows of W are used.
    const Index next_rows = std::min(kBlock, y.columns - column - block.columns);
    const Index lines = w.words == nullptr && w.stride == w.columns ? next_rows * w.columns / 64 : 0;
    for (Index i = 0; i < tiles; ++i) {
      const Index row = y.rows * i / tiles, rows = y.rows * (i + 1) / tiles - row;
      const Rows t{.y = y.row(row) + column,
                   .y_stride = y.stride,
                   .x = reinterpret_cast<const Integer*>(x) + row * width,
                   .x_stride = width,
                   .sums = sums + row,
                   .accumulate = accumulate};
      if (packs) {
        const Index first = lines * i / tiles;
        tile_of_rows(rows, t, block, packed, groups, {block.rows[kBlock] + first * 64, lines * (i + 1) / tiles - first},
                     std::make_integer_sequence<int, kTileRows>());
      } else {
        dot_of_rows(rows, t, block, w.columns, i + 1 == tiles, std::make_integer_sequence<int, kDotRows>());
      }
    }
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace madd or vnni
}  // namespace heed::kernels::HWY_NAMESPACE
#if HEED_INT8_VNNI
HWY_POP_ATTRIBUTES
#else
HWY_AFTER_NAMESPACE();
#endif
