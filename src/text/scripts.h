// Which script a character is written in, as Unicode (through ICU) has it. Free of state, safe from any thread.
#pragma once

#include <cstdint>
#include <string>

namespace heed::text {

// A number for a script. Han, Hiragana and Katakana are one, since Japanese writes all three.
using Script = std::uint8_t;
inline constexpr Script kNoScript = 0;  // digits, punctuation, marks: what every script shares

Script script_of(char32_t character);
// "Latin", "Cyrillic", "Han and kana"; "none" for kNoScript.
std::string script_name(Script script);

// The one character that a letter is compared as when case does not matter.
char32_t fold_case(char32_t character);

}  // namespace heed::text
