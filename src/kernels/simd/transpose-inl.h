// Transposing blocks of four by four numbers, and packing rows into panels. Included once per instruction set, so the
// guard toggles.
#if defined(HEED_KERNELS_SIMD_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_SIMD_TRANSPOSE_INL_H_
#undef HEED_KERNELS_SIMD_TRANSPOSE_INL_H_
#else
#define HEED_KERNELS_SIMD_TRANSPOSE_INL_H_
#endif

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
// A vector holds one or two blocks of four lanes, which are transposed independently.
using TransposeTag = hn::CappedTag<float, 8>;
using Transposed = hn::Vec<TransposeTag>;

// Four numbers of a row and, in the second block, four of the row four rows below.
HWY_INLINE Transposed load_blocks(const float* row, Index stride) {
#if HWY_MAX_BYTES >= 32
  const hn::Half<TransposeTag> block;
  return hn::Combine(TransposeTag(), hn::LoadU(block, row + 4 * stride), hn::LoadU(block, row));
#else
  (void)stride;
  return hn::LoadU(TransposeTag(), row);
#endif
}

// Loads four columns of as many rows as a vector has lanes. The rows lie `stride` numbers apart.
HWY_INLINE void transpose(const float* rows, Index stride, Transposed (&columns)[4]) {
  const TransposeTag d;
  const hn::Repartition<double, TransposeTag> pairs;
  const auto pair = [&](Transposed v) HWY_ATTR { return hn::BitCast(pairs, v); };
  const auto load = [&](Index i) HWY_ATTR { return load_blocks(rows + i * stride, stride); };
  const Transposed a = load(0), b = load(1), c = load(2), e = load(3);
  const auto ab = pair(hn::InterleaveLower(d, a, b)), ce = pair(hn::InterleaveLower(d, c, e));
  const auto ab_next = pair(hn::InterleaveUpper(d, a, b)), ce_next = pair(hn::InterleaveUpper(d, c, e));
  columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, ab, ce));
  columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab, ce));
  columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, ab_next, ce_next));
  columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_next, ce_next));
}
#endif

// Packs `count` (at most 16) rows that lie `stride` numbers apart into a panel; missing rows become zeros.
void pack_panel(float* panel, const float* rows, Index stride, Index count, Index columns) {
  Index k = 0;
#if HWY_TARGET != HWY_SCALAR
  if (count == kPanelRows) {
    constexpr Index kLanes = static_cast<Index>(hn::MaxLanes(TransposeTag()));
    for (Index row = 0; row < kPanelRows; row += kLanes) {
      for (k = 0; k + 4 <= columns; k += 4) {
        Transposed transposed[4];
        transpose(rows + row * stride + k, stride, transposed);
        for (Index c = 0; c < 4; ++c) hn::StoreU(transposed[c], TransposeTag(), panel + (k + c) * kPanelRows + row);
      }
    }
  }
#endif
  for (; k < columns; ++k)
    for (Index i = 0; i < kPanelRows; ++i) panel[k * kPanelRows + i] = i < count ? rows[i * stride + k] : 0.0f;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
