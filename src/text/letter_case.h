// Upper and lower case of letters, for text whose case carries no meaning: headlines and shouting. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

// Whether a letter is in upper or title case, or in lower case. Others, such as digits and Han, are neither.
bool is_upper_case(char32_t c);
bool is_lower_case(char32_t c);

// One character for one. `language`: "tr" and "az" have an i of their own.
char32_t to_lower_case(char32_t c, std::string_view language = "");
// One letter may become several: ß becomes SS.
std::u32string to_upper_case(char32_t c, std::string_view language = "");

// The whole text in upper case, or the first letter of every word in upper case and the others as they are.
std::string upper_case(std::string_view utf8, std::string_view language = "");
std::string title_case(std::string_view utf8, std::string_view language = "");

}  // namespace heed::text
