// What an HTML document must not exceed, so that the parser takes near-linear time: the parser looks through all open
// elements at many tags, and through all attributes of a tag at each of them.
#pragma once

#include <string_view>

namespace heed::document {

inline constexpr std::size_t kMaxHtmlDepth = 10'000;

// Scans the tags without building a tree. InputError if they are nested too deeply; `name` is that of the document.
void check_html_limits(std::string_view html, std::string_view name);

}  // namespace heed::document
