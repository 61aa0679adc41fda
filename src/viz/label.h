// Makes labels of words: cleans them so that they cannot control a terminal or break XML, and measures them without a
// font. Accepts any input. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace heed::viz {

// Cleans the text like printable(), but does not shorten it; the result is also valid in XML. An empty label becomes
// "∅".
std::string clean_label(std::string_view text);
std::vector<std::string> clean_labels(std::span<const text::Token> tokens);

// An upper estimate of the width in a sans-serif font, in ems. Expects clean text.
double em_width(std::string_view text);
// Cuts the text with an ellipsis if it is wider than `ems`.
std::string shorten_to_ems(std::string_view text, double ems);

// The columns that the text takes in a terminal, and the text cut to fit into `columns`.
std::size_t terminal_columns(std::string_view text);
std::string shorten_to_columns(std::string_view text, std::size_t columns);

// Escapes text and attribute values for XML and HTML.
std::string escape_markup(std::string_view text);

}  // namespace heed::viz
