// Comma-separated values, for spreadsheets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed::inline base {

// A field of RFC 4180: in quotes if it contains a quote, a comma or a line end.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of("\",\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

// Without a line end.
inline std::string csv_row(const std::vector<std::string>& fields) {
  std::string row;
  for (std::size_t i = 0; i < fields.size(); ++i) row += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return row;
}

}  // namespace heed::inline base
