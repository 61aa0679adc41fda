// Limits that keep the time of the HTML parser near-linear: for many tags it searches all open elements, and for each
// attribute all attributes of the tag.
#pragma once

#include <string_view>

namespace heed::document {

inline constexpr std::size_t kMaxHtmlDepth = 10'000;

// Scans the tags without building a tree. InputError if they are nested too deeply or would take too long to parse;
// `name` is that of the document.
void check_html_limits(std::string_view html, std::string_view name);

}  // namespace heed::document
