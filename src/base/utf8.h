// UTF-8: validation, and how to print text that may be invalid. Valid is as defined by table 3-7 of the Unicode
// Standard: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::inline base {

// The length of the valid sequence at the start of `text`, 1 to 4; 0 if there is none.
std::size_t utf8_sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Every byte that is not part of a valid sequence becomes U+FFFD.
std::string replace_bad_utf8(std::string_view text);

// The number of code points, which is how many columns most text takes in a terminal.
std::size_t utf8_length(std::string_view text);

// A value for a message: in single quotes, printable, and cut if it is longer than 60 bytes.
std::string in_quotes(std::string_view value);

}  // namespace heed::base
