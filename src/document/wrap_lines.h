// Breaks a text into lines of similar width, for subtitles. Thread-safe.
#pragma once

#include <cstddef>

#include "text/marked_text.h"

namespace heed::document {

// Breaks the text into at most `lines` lines (at least 1), as narrow as possible. Line ends replace spaces, or are
// inserted between characters of scripts without spaces. The time is near-linear.
text::MarkedText wrap_lines(const text::MarkedText& text, std::size_t lines);
// The width of the widest line, in columns.
std::size_t widest_line(const text::MarkedText& text);

}  // namespace heed::document
