// Base64 (RFC 4648, with padding), for binary data inside metadata and pages.
#pragma once

#include <string>
#include <string_view>

namespace heed::inline base {

std::string to_base64(std::string_view bytes);
// InputError with `where` for anything that to_base64 cannot have written.
std::string from_base64(std::string_view text, std::string_view where);

}  // namespace heed::base
