// TOML, read as a flat list of dotted keys. Only toml.cpp includes toml++.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed::inline base {

// The elements of an array are strings as to_plain() writes them, whatever their type in the file.
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct TomlEntry {
  std::string key;  // dotted: `hidden` in section [encoder] is encoder.hidden
  TomlValue value;
  int line;
};

// The entries in the order of the file. InputError with `where`:line for bad syntax, duplicate keys, and what heed does
// not use (dates, arrays inside arrays, tables inside arrays). Safe for untrusted text.
std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view where);

// A value as TOML that reads back as the same value; numbers have the shortest such form.
std::string to_toml(const TomlValue& value);

// Text for a TOML comment: control characters, which would end the comment or are not allowed in it, are escaped.
std::string toml_comment(std::string_view text);

// A value as a user would write it on a command line: no quotes, lists separated by commas.
std::string to_plain(const TomlValue& value);

}  // namespace heed::base
