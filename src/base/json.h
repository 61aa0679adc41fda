// JSON. Only this file includes nlohmann-json. Objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed::inline base {

using Json = nlohmann::ordered_json;

// Parses untrusted text in time and memory linear in its size. InputError with `where` and the position for bad syntax,
// invalid UTF-8, a duplicate key in an object, more than 100 levels or more than 10 million values.
Json parse_json(std::string_view text, std::string_view where);
// The same for one line of a file: `where` names the file and the line, and the position is a column.
Json parse_json_line(std::string_view text, std::string_view where);

// One line (or indented), always valid UTF-8: invalid bytes become U+FFFD; NaN and infinity become null.
std::string dump_json(const Json& value, int indent = -1);

}  // namespace heed::base
