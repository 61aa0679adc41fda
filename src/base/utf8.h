// UTF-8: validation, and how to print text that may be invalid. Table 3-7 of the Unicode Standard defines what is
// valid: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heed::inline base {

// The length of the valid sequence at the start of `text`, 1 to 4; 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Every byte that is not part of a valid sequence becomes U+FFFD.
std::string replace_bad_utf8(std::string_view text);

// The number of code points: for most text, the number of columns that it takes in a terminal.
std::size_t utf8_length(std::string_view text);

// Untrusted text for a terminal or a message: valid UTF-8 on one line that cannot control a terminal or hide text.
// ASCII control characters become visible symbols (␊); invalid bytes, other control characters, bidirectional controls,
// line separators and invisible characters become U+FFFD (the joiners U+200C and U+200D, which many scripts need,
// stay). Text of more than `max` code points is cut there and ends with "…".
inline constexpr std::size_t kMaxPrintable = 1000;
std::string printable(std::string_view text, std::size_t max = kMaxPrintable);

// Whether printable() leaves a valid sequence unchanged.
bool is_printable(std::string_view sequence);

// For message arguments: text becomes printable(text), anything else is returned unchanged.
template <class T>
decltype(auto) printable_argument(T&& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>)
    return printable(value);
  else
    return std::forward<T>(value);
}

// A value for a message: in single quotes, printable, and cut if it is longer than 60 characters.
std::string in_quotes(std::string_view value);

}  // namespace heed::base
