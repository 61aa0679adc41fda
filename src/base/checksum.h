// Checksums, the same value on every machine. They detect damage, not tampering. An object is used by one thread at a
// time; nothing here fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed::inline base {

// XXH64, the 64-bit digest of the xxHash family, over bytes that arrive in chunks of any size; several GB/s.
class Xxh64 {
 public:
  explicit Xxh64(std::uint64_t seed = 0);

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes) { update(std::as_bytes(std::span(bytes))); }
  // The digest of all bytes so far; more may follow.
  std::uint64_t digest() const;

 private:
  alignas(8) std::array<std::byte, 88> state_;  // an XXH64_state_t, whose header only checksum.cpp includes
};

// 16 lower-case hexadecimal digits, the most significant first.
std::string hex_digest(std::uint64_t digest);

// CRC-32C (Castagnoli): for small records of foreign formats.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace heed::base
