// JSON: the one file that includes nlohmann-json. Objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::inline base {

using Json = nlohmann::ordered_json;

// Parses a text that may be hostile, in time and memory linear in its size. InputError with `where` and the position on
// bad syntax, bad UTF-8, a key given twice in one object, more than 100 levels or more than 10 million values.
Json parse_json(std::string_view text, std::string_view where);

// One line (or indented), always valid UTF-8: bad bytes become U+FFFD; numbers that are not finite become null.
std::string dump_json(const Json& value, int indent = -1);

}  // namespace heed::base
