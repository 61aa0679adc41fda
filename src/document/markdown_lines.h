// What a line of Markdown is. A line is given without its line feed and, except for blank lines, without the markers of
// the blocks around it. Thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::document {

bool is_line_space(char c);
bool is_blank_line(std::string_view line);

// The length of "[label]:" at the start of a line; 0 if there is none.
std::size_t definition_length(std::string_view line);
// Whether such a definition also ends the paragraph before it: that of a footnote, or one with nothing but an address
// and a title. (CommonMark reads the latter as text, but then it is shown as it is.)
bool interrupts_paragraph(std::string_view line);

// Whether a line is only one of these characters, at least three times: *** or ---.
bool is_rule(std::string_view line, std::string_view characters);
// The line below a heading: === or ---.
bool is_underline(std::string_view line);
// The row of a table below its header: |---|:-:|
bool is_table_rule(std::string_view line);
// The length of a list marker such as "- " or "12. ", or ": " of a definition list, at the start of a line; 0 if there
// is none.
std::size_t list_marker_length(std::string_view line);

// The first line of an admonition as in MkDocs: !!! note "Title"
bool is_admonition(std::string_view line);
// A line of other extensions that is not text: an admonition, ":::" around a block, or attributes: {: .class}
bool is_directive(std::string_view line);

}  // namespace heed::document
