// Abbreviations whose full stop does not end a sentence, by language. Case matters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heed::text {

enum class AbbreviationKind : std::uint8_t {
  none,
  always,         // Dr. is one token before any word
  before_number,  // No. is one token only before a number
};

// `word` is without its full stop. A language without its own list uses the English one.
AbbreviationKind find_abbreviation(std::string_view language, std::string_view word);

// The languages that have their own list, sorted.
std::vector<std::string_view> abbreviation_languages();

}  // namespace heed::text
