#include "base/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace heed {

namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5;

static_assert(std::endian::native == std::endian::little, "the digest reads little-endian words");

template <class Word>
std::uint64_t read_word(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

void add_stripe(std::array<std::uint64_t, 4>& lanes, const std::byte* from) {
  for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = round(lanes[i], read_word<std::uint64_t>(from + 8 * i));
}

std::uint64_t avalanche(std::uint64_t hash) {
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace

Xxh64::Xxh64(std::uint64_t seed) : lanes_{seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1}, tail_{} {}

void Xxh64::update(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (tail_size_ > 0) {
    const std::size_t taken = std::min(kStripe - tail_size_, bytes.size());
    std::copy_n(bytes.begin(), taken, tail_.begin() + tail_size_);
    tail_size_ += taken;
    bytes = bytes.subspan(taken);
    if (tail_size_ < kStripe) return;
    add_stripe(lanes_, tail_.data());
  }
  auto lanes = lanes_;  // a local copy, which the compiler may keep in registers
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) add_stripe(lanes, bytes.data());
  lanes_ = lanes;
  std::copy(bytes.begin(), bytes.end(), tail_.begin());
  tail_size_ = bytes.size();
}

std::uint64_t Xxh64::digest() const {
  std::uint64_t hash = lanes_[2] + kPrime5;  // lane 2 is still the seed where no stripe was full
  if (total_ >= kStripe) {
    hash = 0;
    for (std::size_t i = 0; i < 4; ++i) hash += std::rotl(lanes_[i], std::array{1, 7, 12, 18}[i]);
    for (const std::uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += total_;
  const std::byte* at = tail_.data();
  const std::byte* const end = at + tail_size_;
  for (; end - at >= 8; at += 8)
    hash = std::rotl(hash ^ round(0, read_word<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (end - at >= 4) {
    hash = std::rotl(hash ^ (read_word<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) hash = std::rotl(hash ^ (read_word<std::uint8_t>(at) * kPrime5), 11) * kPrime1;
  return avalanche(hash);
}

std::string hex_digest(std::uint64_t digest) {
  return fmt::format("{:016x}", digest);
}

}  // namespace heed
