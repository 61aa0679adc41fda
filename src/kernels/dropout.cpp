#include "kernels/dropout.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/ref/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/dropout.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

using DU = hn::RebindToUnsigned<D>;
using DI = hn::RebindToSigned<D>;
using DByte = hn::Rebind<std::uint8_t, D>;
using VU = hn::Vec<DU>;

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE void random_blocks(const Random& random, std::uint64_t block, std::uint32_t* out) {
  std::ranges::copy(random.block(block), out);
}

#else

// The two halves of each lane's 64-bit product.
struct Product {
  VU high, low;
};
HWY_INLINE Product multiply_wide(VU a, VU b) {
  const DU d;
  const hn::RepartitionToWide<DU> wide;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, a))), b);
  return {hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even))),
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even))};
}

// Writes one block per vector lane, starting at `block`: the same bits as Random::block().
HWY_INLINE void random_blocks(const Random& random, std::uint64_t block, std::uint32_t* HWY_RESTRICT out) {
  const DU d;
  const auto first = random.counter(block);
  auto key = random.key();
  const VU low = hn::Set(d, first[0]);
  VU c0 = hn::Add(low, hn::Iota(d, 0));
  VU c1 = hn::IfThenElse(hn::Lt(c0, low), hn::Set(d, first[1] + 1), hn::Set(d, first[1]));  // carry
  VU c2 = hn::Set(d, first[2]), c3 = hn::Set(d, first[3]);
  const VU multiplier0 = hn::Set(d, Philox::kMultiplier[0]), multiplier1 = hn::Set(d, Philox::kMultiplier[1]);
  for (int round = 0; round < Philox::kRounds; ++round) {
    const Product p0 = multiply_wide(c0, multiplier0), p1 = multiply_wide(c2, multiplier1);
    c0 = hn::Xor(hn::Xor(p1.high, c1), hn::Set(d, key[0]));
    c2 = hn::Xor(hn::Xor(p0.high, c3), hn::Set(d, key[1]));
    c1 = p1.low;
    c3 = p0.low;
    key[0] += Philox::kKeyStep[0];
    key[1] += Philox::kKeyStep[1];
  }
  hn::StoreInterleaved4(c0, c1, c2, c3, d, out);
}

#endif

HWY_INLINE V load_mask(Whole, const std::uint8_t* mask) {
  return hn::ConvertTo(D(), hn::PromoteTo(DI(), hn::LoadU(DByte(), mask)));
}
HWY_INLINE V load_mask(Part part, const std::uint8_t* mask) {
  HWY_ALIGN std::uint8_t lanes[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy_n(mask, part.n, lanes);
  return load_mask(Whole{}, lanes);
}
HWY_INLINE void store_mask(Whole, V kept, std::uint8_t* mask) {
  hn::StoreU(hn::DemoteTo(DByte(), hn::ConvertTo(DI(), kept)), DByte(), mask);
}
HWY_INLINE void store_mask(Part part, V kept, std::uint8_t* mask) {
  HWY_ALIGN std::uint8_t lanes[HWY_MAX_BYTES / sizeof(float)];
  store_mask(Whole{}, kept, lanes);
  std::copy_n(lanes, part.n, mask);
}

}  // namespace

void dropout_forward(View<float> out, std::uint8_t* mask, View<float> x, float rate, const Random& random,
                     RowKeys keys) {
  const DU d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const V scale = set(1 / (1 - rate)), one = set(1.0f);
  // Random::to_uniform() is the upper 24 bits times 2^-24; here the bits are compared as integers.
  const VU threshold = hn::Set(d, static_cast<std::uint32_t>(std::ceil(static_cast<double>(rate) * 0x1p24)));
  const std::uint64_t blocks = (static_cast<std::uint64_t>(x.columns) + 3) / 4;
  HWY_ALIGN std::uint32_t numbers[4 * HWY_MAX_BYTES / sizeof(std::uint32_t)];
  for (Index i = 0; i < x.rows; ++i) {
    for (Index from = 0; from < x.columns; from += 4 * lanes) {
      random_blocks(random, keys[i] * blocks + static_cast<std::uint64_t>(from) / 4, numbers);
      for_each(std::min(4 * lanes, x.columns - from), [&](auto part, Index j) HWY_ATTR {
        const auto below = hn::Lt(hn::ShiftRight<8>(hn::Load(d, numbers + j)), threshold);
        const auto kept = hn::RebindMask(D(), hn::Not(below));
        store_mask(part, hn::IfThenElseZero(kept, one), mask + i * x.columns + from + j);
        store(part, hn::Mul(load(part, x.row(i) + from + j), hn::IfThenElseZero(kept, scale)), out.row(i) + from + j);
      });
    }
  }
}

void dropout_backward(View<float> d_x, View<float> d_out, const std::uint8_t* mask, float rate) {
  const V scale = set(1 / (1 - rate));
  for (Index i = 0; i < d_x.rows; ++i)
    for_each(d_x.columns, [&](auto part, Index j) HWY_ATTR {
      const V factor = hn::Mul(load_mask(part, mask + i * d_x.columns + j), scale);
      accumulate(part, hn::Mul(load(part, d_out.row(i) + j), factor), d_x.row(i) + j);
    });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

void check_dropout(const Tensor& out, const Tensor& x, std::size_t mask, double rate) {
  check(rate >= 0 && rate < 1, "dropout: the rate is {}, expected 0 to below 1", rate);
  check_alike("dropout", x, {out});
  check(static_cast<Index>(mask) == x.elements(), "dropout: a mask of {} for {} elements", mask, x.elements());
}

}  // namespace

void dropout_forward(Tensor out, std::span<std::uint8_t> mask, Tensor x, double rate, const Random& random,
                     RowKeys keys, bool whole_rows) {
  check_dropout(out, x, mask.size(), rate);
  check(static_cast<Index>(keys.size()) == x.rows(), "dropout: {} row keys for {} rows", keys.size(), x.rows());
  if (whole_rows) return HEED_RUN_REF(dropout_forward, x.type(), out, mask.data(), x, rate, random, keys, true);
  HEED_RUN(dropout_forward, x.type(), out, mask.data(), x, rate, random, keys);
}

void dropout_backward(Tensor d_x, Tensor d_out, std::span<const std::uint8_t> mask, double rate) {
  check_dropout(d_x, d_out, mask.size(), rate);
  HEED_RUN(dropout_backward, d_x.type(), d_x, d_out, mask.data(), rate);
}

}  // namespace heed::kernels
#endif
