#include "base/json_lines.h"

#include "base/error.h"

namespace heed::inline base {

Json JsonLine::parse() const {
  Json line = parse_json_line(text, where);
  check<InputError>(line.is_object(), "{}: this line is not a JSON object", where);
  return line;
}

std::vector<JsonLine> json_lines(std::string_view text, const std::string& path) {
  std::vector<JsonLine> lines;
  for (std::size_t from = 0, end; (end = text.find('\n', from)) != text.npos; from = end + 1)
    lines.push_back({text.substr(from, end - from), fmt::format("{}:{}", path, lines.size() + 1)});
  return lines;
}

}  // namespace heed::base
