// Languages as files name them: codes of ISO 639 with or without a region, and names in many languages.
#pragma once

#include <string>
#include <string_view>

namespace heed::text {

// The primary language of a tag, in two letters if it has such a code: "en" for en, EN-gb, en_US and eng. Anything else
// comes back in lower case.
std::string primary_language(std::string_view tag);

// The primary language of a two-letter code, of its three-letter code, of a tag that starts with one of them, or of an
// English or native name: "de" for de, de-AT, deu, ger, German and Deutsch. Empty if `name` is none of these.
std::string find_language(std::string_view name);

// The same for a name in any of the widely used languages, with or without its accents: "de" for Allemand, "es" for
// Espanol. Empty if `name` is not such a name.
std::string find_language_name(std::string_view name);

// The same for the beginning of a name, without the period: "en" for Engl; also "de" for Dt. Empty if it is shorter
// than three letters otherwise, or if names of several languages begin like that.
std::string find_language_abbreviation(std::string_view beginning);

// What a user or a file says of a text's language, in one form: find_language(), or else find_language_name(), or else
// primary_language().
std::string language_key(std::string_view name);

// "German (de)", also for Deutsch; the tag alone if it has no name.
std::string describe_language(std::string_view tag);

}  // namespace heed::text
