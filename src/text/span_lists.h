// Word lists for protected_spans.h: unit symbols, file extensions, top-level domains, types of ICU messages.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::text {

inline constexpr std::size_t kLongestUnit = 6;
// Whether a symbol such as kg is a unit. Some are units only after a space: "the 80s" are not seconds.
bool is_unit(std::u32string_view symbol, bool after_space);
// txt, pdf, cpp, …, in lower or upper case.
bool is_file_extension(std::u32string_view extension);
// Whether a domain is so common that its addresses are recognized even without "https://" and "www.".
bool is_top_level_domain(std::u32string_view name);
// plural, select, number, …
bool is_message_type(std::u32string_view word);

}  // namespace heed::text
