// The strings of PO files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heed::document {

// Appends what the string in double quotes at the start of `raw` says; only white space may follow it. False if it is
// not such a string.
bool decode_po_string(std::string_view raw, std::string& text);

// "msgstr "text"" with `line_end` after each line: in one line, or, if the text has several lines or is `wrapped` and
// long, in one per line, as msgcat does.
std::string encode_po_field(std::string_view keyword, std::string_view text, bool wrapped, std::string_view line_end);

// Whether a translation has the placeholders of its source, such as %s, %(name)d and {0}: those without a name or
// number in the same order.
bool has_same_placeholders(std::string_view source, std::string_view translation);

// The field Plural-Forms of a language, such as "nplurals=2; plural=(n != 1);"; empty if it is not known.
std::string_view plural_forms(std::string_view language);

}  // namespace heed::document
