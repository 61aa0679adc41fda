// Breaks a text into lines of similar width, for subtitles.
#pragma once

#include <cstddef>

#include "text/marked_text.h"

namespace heed::document {

// At most `lines` lines (at least 1), as narrow as possible: line ends take the place of spaces, or are inserted
// between characters of scripts without spaces. Linear time.
text::MarkedText wrap_lines(const text::MarkedText& text, std::size_t lines);
// The width of the widest line, in columns.
std::size_t widest_line(const text::MarkedText& text);

}  // namespace heed::document
