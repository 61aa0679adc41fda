// XXH64, the 64-bit digest of the xxHash family, from its published specification: several GB/s, the same value on
// every machine. It finds damage, not tampering. An object is owned by one thread at a time; nothing here fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// The digest of bytes that come in pieces; how they are cut does not matter.
class Xxh64 {
 public:
  explicit Xxh64(std::uint64_t seed = 0);

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes) { update(std::as_bytes(std::span(bytes))); }
  // The digest of everything so far; more may follow.
  std::uint64_t digest() const;

 private:
  static constexpr std::size_t kStripe = 32;

  std::array<std::uint64_t, 4> lanes_;
  std::array<std::byte, kStripe> tail_;  // the bytes of an unfinished stripe
  std::size_t tail_size_ = 0;
  std::uint64_t total_ = 0;
};

// 16 lower-case hexadecimal digits, the highest first.
std::string hex_digest(std::uint64_t digest);

}  // namespace heed
