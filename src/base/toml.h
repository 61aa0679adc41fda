// TOML: the one file that includes toml++. A file is seen as a flat list of dotted keys, which is all a configuration
// needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace heed::inline base {

// Elements of an array are strings as a person would write them, whatever their type in the file.
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct TomlEntry {
  std::string key;  // dotted: `hidden` in section [encoder] is encoder.hidden
  TomlValue value;
  int line;
};

// The entries in the order of the file. InputError with `where`:line on bad syntax, a key given twice, and on what heed
// has no use for (dates, arrays inside arrays, tables inside arrays). Safe on hostile text.
std::vector<TomlEntry> parse_toml(std::string_view text, std::string_view where);

// A value as TOML text that reads back as the same value. Doubles take the shortest such form.
std::string to_toml(const TomlValue& value);

// A bool, number or string as a person would write it on a command line: no quotes.
std::string to_plain(const TomlValue& value);

}  // namespace heed::base
