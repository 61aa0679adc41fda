// The script of a character, as Unicode (through ICU) defines it. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed::text {

// Identifies a script. Han, Hiragana and Katakana count as one, because Japanese uses all three.
using Script = std::uint8_t;
inline constexpr Script kNoScript = 0;  // digits, punctuation and marks, which all scripts share

Script script_of(char32_t character);
// "Latin", "Cyrillic", "Han and kana"; "none" for kNoScript.
std::string script_name(Script script);

// The scripts that a language ("de", "sr-Latn") is written in, as ICU knows them; empty if it knows none.
std::vector<Script> scripts_of_language(const std::string& language);

// The case-folded form of a character, for comparisons that ignore case.
char32_t fold_case(char32_t character);
// The capital letter that a word begins with instead of this letter.
char32_t title_case(char32_t character);

}  // namespace heed::text
