// Which words of a line its translation came from, by attention.
#pragma once

#include <string_view>

#include "text/links.h"
#include "translate/translated.h"

namespace heed {

// Links between the words, parted by white space, of the line and of one of its candidates, by the rule of alignment.h.
// None where the candidate has no weights. Takes memory in proportion to the line where it was cut into pieces.
Alignment word_links(std::string_view line, const Translated& translated, std::size_t candidate);

}  // namespace heed
