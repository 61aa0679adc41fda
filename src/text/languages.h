// Languages as files name them: ISO 639 codes with or without a region, and names in many languages.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

// The primary language of a tag, as a two-letter code if it has one: "en" for en, EN-gb, en_US and eng. For an unknown
// tag, its first part in lower case.
std::string primary_language(std::string_view tag);

// The two-letter code for a two- or three-letter code, a tag that starts with one, or an English or native name: "de"
// for de, de-AT, deu, ger, German and Deutsch. Empty if `name` is none of these.
std::string find_language(std::string_view name);

// The same for a name in any widely used language, with or without its accents: "de" for Allemand, "es" for Espanol.
// Empty if `name` is not such a name.
std::string find_language_name(std::string_view name);

// The same for an abbreviated name without its period: "en" for Engl. Empty if it has fewer than three letters (except
// "de" for Dt) or if the names of several languages begin with it.
std::string find_language_abbreviation(std::string_view abbreviation);

// The language that a user or a file names, in one form: find_language(), or else find_language_name(), or else
// primary_language().
std::string language_key(std::string_view name);

// "German (de)", also for Deutsch; the tag alone if it has no name.
std::string describe_language(std::string_view tag);

}  // namespace heed::text
