// XXH64, the 64-bit digest of the xxHash family: several GB/s, the same value on every machine. It finds damage, not
// tampering. An object is owned by one thread at a time; nothing here fails.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heed::inline base {

// The digest of bytes that come in chunks; how they are cut does not matter.
class Xxh64 {
 public:
  explicit Xxh64(std::uint64_t seed = 0);

  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes) { update(std::as_bytes(std::span(bytes))); }
  // The digest of everything so far; more may follow.
  std::uint64_t digest() const;

 private:
  alignas(8) std::array<std::byte, 88> state_;  // libxxhash's, which only checksum.cpp sees
};

// 16 lower-case hexadecimal digits, the highest first.
std::string hex_digest(std::uint64_t digest);

}  // namespace heed::base
