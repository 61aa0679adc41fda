// Words as labels: cleaned so that nothing in them acts on a terminal or breaks XML, and measured without any font.
// Free of state; nothing throws on any input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace heed::viz {

// Valid UTF-8 on one line: bad bytes become U+FFFD, control characters the symbols that picture them, directional
// controls and characters that XML does not have U+FFFD. An empty label becomes a visible mark.
std::string clean_label(std::string_view text);
std::vector<std::string> clean_labels(std::span<const text::Token> tokens);

// Roughly what a sans-serif font takes, in ems; wide rather than narrow, so that nothing overlaps. Expects clean text.
double em_width(std::string_view text);
// Cut with an ellipsis where it is wider than that.
std::string shorten_to_ems(std::string_view text, double ems);

// The columns a terminal uses: 2 for wide characters and emoji, 0 for combining ones.
std::size_t terminal_columns(std::string_view text);
std::string shorten_to_columns(std::string_view text, std::size_t columns);

// For text and attribute values of XML and HTML.
std::string escape_markup(std::string_view text);

}  // namespace heed::viz
