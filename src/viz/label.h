// Words as labels: cleaned so that they cannot control a terminal or break XML, and measured without a font.
// Thread-safe; nothing throws on any input.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace heed::viz {

// The text as printable() cleans it, but of any length; XML allows the result too. An empty label becomes "∅".
std::string clean_label(std::string_view text);
std::vector<std::string> clean_labels(std::span<const text::Token> tokens);

// An upper estimate of the width in a sans-serif font, in ems. Expects clean text.
double em_width(std::string_view text);
// Cut with an ellipsis if it is wider than `ems`.
std::string shorten_to_ems(std::string_view text, double ems);

// The columns that a terminal uses, and the text cut to fit a number of them.
std::size_t terminal_columns(std::string_view text);
std::string shorten_to_columns(std::string_view text, std::size_t columns);

// Escapes text and attribute values for XML and HTML.
std::string escape_markup(std::string_view text);

}  // namespace heed::viz
