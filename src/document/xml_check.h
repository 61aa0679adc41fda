// Checks with libxml2 that a text is well-formed XML. Thread-safe.
#pragma once

#include <string_view>

namespace heed::document {

// InputError with `name` and the line if it is not, or if it is nested more than 256 deep. Does not expand entities
// that the document declares, and fetches nothing.
void check_xml(std::string_view xml, std::string_view name);

}  // namespace heed::document
