// Bytes as text of 64 harmless characters (RFC 4648, with padding): how binary data lives inside JSON strings.
#pragma once

#include <string>
#include <string_view>

namespace heed::inline base {

std::string to_base64(std::string_view bytes);
// InputError that names `where` for anything that to_base64 could not have written.
std::string from_base64(std::string_view text, std::string_view where);

}  // namespace heed::base
