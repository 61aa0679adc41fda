// Logs with one JSON object per line, as training runs write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace heed::inline base {

struct JsonLine {
  std::string_view text;
  std::string where;  // file:line

  // InputError with `where` if the line is not a JSON object.
  Json parse() const;
};

// The complete lines of a file's text: a last line that a crash cut off is skipped.
std::vector<JsonLine> json_lines(std::string_view text, const std::string& path);

}  // namespace heed::base
