// Whether a text is well-formed XML, as libxml2 reads it.
#pragma once

#include <string_view>

namespace heed::document {

// InputError with `name` and the line if it is not, or if it is nested more than 256 deep. Entities that the document
// declares are not expanded, and nothing is fetched.
void check_xml(std::string_view xml, std::string_view name);

}  // namespace heed::document
