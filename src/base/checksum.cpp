#include "base/checksum.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL  // header-only: nothing to link
#include <xxhash.h>

namespace heed::inline base {

static_assert(sizeof(Xxh64) == sizeof(XXH64_state_t) && alignof(Xxh64) == alignof(XXH64_state_t));

Xxh64::Xxh64(std::uint64_t seed) {
  XXH64_reset(reinterpret_cast<XXH64_state_t*>(&state_), seed);
}

void Xxh64::update(std::span<const std::byte> bytes) {
  XXH64_update(reinterpret_cast<XXH64_state_t*>(&state_), bytes.data(), bytes.size());
}

std::uint64_t Xxh64::digest() const {
  return XXH64_digest(reinterpret_cast<const XXH64_state_t*>(&state_));
}

std::string hex_digest(std::uint64_t digest) {
  return fmt::format("{:016x}", digest);
}

std::uint32_t crc32c(std::string_view bytes) {
  constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
  }
  return ~crc;
}

}  // namespace heed::base
