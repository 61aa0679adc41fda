// Data in the format deflate (RFC 1951), as zip archives have it: without a header. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::inline base {

// Appends what `packed` contains. False if that is damaged, or has more than `limit` bytes, of which no more are made.
bool inflate_bytes(std::string_view packed, std::string& content, std::size_t limit);
std::string deflate_bytes(std::string_view content);
// The checksum of zip.
std::uint32_t crc32_of(std::string_view content);

}  // namespace heed::base
