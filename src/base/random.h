// Random numbers without state: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
// A number is a function of (seed, stream, position) alone, so it is the same on every thread and in every order.
#pragma once

#include <array>
#include <cstdint>

namespace heed::inline base {

// The constants of Philox's rounds, which the vectorized kernel also uses.
struct Philox {
  static constexpr std::array<std::uint32_t, 2> kMultiplier = {0xD2511F53, 0xCD9E8D57};
  static constexpr std::array<std::uint32_t, 2> kKeyStep = {0x9E3779B9, 0xBB67AE85};
  static constexpr int kRounds = 10;
};

// One Philox block: ten rounds over a 128-bit counter with a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

// What a random number is for. Each purpose has its own stream, so that no two use the same numbers.
enum class Stream : std::uint32_t {
  initialize,
  shuffle,
  dropout,
  teacher_forcing,
  subword,
  sample,
  corpus,
  test,
  weight,
  placeholder,
  augment,
  unknown
};

class Random {
 public:
  // `index` distinguishes several users of one stream (layers, epochs, sentences).
  constexpr Random(std::uint64_t seed, Stream stream, std::uint32_t index = 0)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        stream_(static_cast<std::uint32_t>(stream)),
        index_(index) {}

  // 32 random bits at a position.
  std::uint32_t bits(std::uint64_t position) const { return block(position / 4)[position % 4]; }
  // The four numbers at positions 4 * block to 4 * block + 3.
  std::array<std::uint32_t, 4> block(std::uint64_t block) const { return philox(counter(block), key_); }
  // The counter of philox() for a block.
  std::array<std::uint32_t, 4> counter(std::uint64_t block) const {
    return {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), stream_, index_};
  }
  std::array<std::uint32_t, 2> key() const { return key_; }
  // In [0, 1): 24 bits, exact in float.
  float uniform(std::uint64_t position) const { return to_uniform(bits(position)); }
  static float to_uniform(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }
  // In [0, bound), with a negligible bias (2^-32 per value).
  std::uint32_t below(std::uint64_t position, std::uint32_t bound) const {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits(position)) * bound) >> 32);
  }
  // Standard normal (Box-Muller on the block at `position`).
  float normal(std::uint64_t position) const;

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
  std::uint32_t index_;
};

}  // namespace heed::base
