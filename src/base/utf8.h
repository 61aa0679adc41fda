// The little of UTF-8 that base needs: is it valid, and how to show a text that need not be.
// Valid means as the Unicode Standard's table 3-7 has it: no overlong forms, no surrogates, nothing past U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::inline base {

// The length of the valid sequence at the start of `text`, 1 to 4; 0 if the first byte starts none (or text is
// empty).
std::size_t utf8_sequence_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Every byte that belongs to no valid sequence becomes U+FFFD.
std::string replace_bad_utf8(std::string_view text);

// Code points, which is how many columns most text takes in a terminal.
std::size_t utf8_length(std::string_view text);

// A value as it stands in a message: in single quotes, printable, and cut if it is longer than a line.
std::string in_quotes(std::string_view value);

}  // namespace heed::base
