// The width of a character in a terminal.
#pragma once

#include <cstddef>

namespace heed::text {

// Columns, by the Unicode properties of the character: 0 for combining marks and invisible characters, 2 for wide
// characters and emoji, else 1. Thread-safe.
std::size_t terminal_columns(char32_t character);

}  // namespace heed::text
