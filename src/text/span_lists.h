// What protected_spans.h looks up: unit symbols, endings of files, top-level domains, types of ICU messages.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::text {

inline constexpr std::size_t kLongestUnit = 6;
// A symbol such as kg. Some are only units if a space precedes them: "the 80s" are no seconds.
bool is_unit(std::u32string_view symbol, bool behind_space);
// txt, pdf, cpp, …, in lower or upper case.
bool is_file_ending(std::u32string_view ending);
// Those that are so common that an address without "https://" and "www." is seen as one.
bool is_top_level_domain(std::u32string_view name);
// plural, select, number, …
bool is_message_type(std::u32string_view word);

}  // namespace heed::text
