// Texts with marks as short patterns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "text/marked_text.h"

namespace heed::testing {

// A text in which [ ] enclose marks, {} a kept one, and | is an empty one; ids count from 0.
inline text::MarkedText parse_marks(std::string_view pattern) {
  text::MarkedText result;
  std::vector<std::size_t> open;
  for (const char c : pattern) {
    const auto at = static_cast<std::uint32_t>(utf8_length(result.text));
    if (c == ']' || c == '}') {
      result.marks[open.back()].span.to = at;
      open.pop_back();
    } else if (c == '[' || c == '{' || c == '|') {
      result.marks.push_back({.span = {at, at},
                              .id = static_cast<std::uint32_t>(result.marks.size()),
                              .parent = open.empty() ? -1 : static_cast<int>(open.back()),
                              .keep = c == '{'});
      if (c != '|') open.push_back(result.marks.size() - 1);
    } else {
      result.text += c;
    }
  }
  return result;
}

// The same with the id after every bracket.
inline std::string show_marks(const text::MarkedText& marked) {
  std::string out;
  const std::u32string text = text::decode_utf8(marked.text);
  std::vector<std::size_t> open;
  std::uint32_t at = 0;
  const auto to = [&](std::uint32_t end) {
    for (; at < end; ++at) text::append_utf8(out, text[at]);
  };
  const auto close = [&] {
    to(marked.marks[open.back()].span.to);
    out += "]";
    open.pop_back();
  };
  for (std::size_t i = 0; i < marked.marks.size(); ++i) {
    while (!open.empty() && static_cast<int>(open.back()) != marked.marks[i].parent) close();
    to(marked.marks[i].span.from);
    out += std::to_string(marked.marks[i].id) + "[";
    open.push_back(i);
  }
  while (!open.empty()) close();
  to(static_cast<std::uint32_t>(text.size()));
  return out;
}

}  // namespace heed::testing
