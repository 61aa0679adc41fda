// The strings of gettext PO files. Thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::document {

// Decodes the string in double quotes at the start of `raw`, which only white space may follow, and appends it. False
// if `raw` is something else.
bool decode_po_string(std::string_view raw, std::string& text);

// Encodes a field such as msgstr "text", with `line_end` after each line. A text with several lines, or a long one if
// `wrapped`, is split over several lines, as msgcat does.
std::string encode_po_field(std::string_view keyword, std::string_view text, bool wrapped, std::string_view line_end);

// Whether a translation has the placeholders of its source, such as %s, %(name)d, %% and {0}, and no other percent
// signs. Placeholders without a name or number must be in the same order.
bool has_same_placeholders(std::string_view source, std::string_view translation);

// The Plural-Forms field of a language, such as "nplurals=2; plural=(n != 1);"; empty if the language is not known.
std::string_view plural_forms(std::string_view language);

}  // namespace heed::document
