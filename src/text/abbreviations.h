// Abbreviations whose full stop does not end a sentence, by language: facts about writing, matched as they are.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed::text {

enum class AbbreviationKind : std::uint8_t {
  none,
  always,         // Dr. stays one token before any word
  before_number,  // No. stays one token before a number only
};

// `word` without its full stop. A language without a list of its own uses English's.
AbbreviationKind find_abbreviation(std::string_view language, std::string_view word);

bool has_abbreviations(std::string_view language);

}  // namespace heed::text
