// Enums whose values have names, for options and messages. An enum gets names by declaring, in its own namespace,
//   std::vector<std::string> enum_names(Cell);   // the names of the values 0, 1, … in this order
// Code compares values; names are for command lines, TOML, model files and messages.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.h"

namespace heed::inline base {

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  std::vector<std::string>(enum_names(E{}));
};

template <NamedEnum E>
std::string enum_name(E value) {
  return enum_names(value).at(static_cast<std::size_t>(value));
}

// The value of that name; InternalError if there is none.
template <NamedEnum E>
E enum_value(std::string_view name) {
  const std::vector<std::string> names = enum_names(E{});
  const auto found = std::ranges::find(names, name);
  check<InternalError>(found != names.end(), "{} is not among {}", name, fmt::join(names, ", "));
  return static_cast<E>(found - names.begin());
}

template <NamedEnum E>
std::vector<std::string> enum_list(const std::vector<E>& values) {
  std::vector<std::string> names;
  for (const E value : values) names.push_back(enum_name(value));
  return names;
}

// One line about each value, in order, for `heed help`; empty unless enum_about(E) is declared as enum_names(E) is.
template <NamedEnum E>
std::vector<std::string> enum_lines(E value) {
  if constexpr (requires { enum_about(value); })
    return enum_about(value);
  else
    return {};
}

// Whether row i of a table has the enum value i in its member `value`, so that values serve as indices:
// static_assert(rows_in_order(kCells));
template <class Row, std::size_t n>
consteval bool rows_in_order(const Row (&rows)[n]) {
  for (std::size_t i = 0; i < n; ++i)
    if (static_cast<std::size_t>(rows[i].value) != i) return false;
  return true;
}
// The names of a table's rows (their member `name`), for enum_names() and messages.
template <class Rows>
std::vector<std::string> row_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}
// The same for their member `about`, for enum_about() and choices().
template <class Rows>
std::vector<std::string> row_lines(const Rows& rows) {
  std::vector<std::string> lines;
  for (const auto& row : rows) lines.emplace_back(row.about);
  return lines;
}

}  // namespace heed::base
