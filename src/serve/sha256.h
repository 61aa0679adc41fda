// SHA-256 (FIPS 180-4), for API keys, which the server stores only as digests.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heed::serve {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view bytes);

// Parses 64 hexadecimal digits; nothing if the text is anything else.
std::optional<Sha256> parse_sha256(std::string_view digits);

}  // namespace heed::serve
