// The inline markup of CommonMark: emphasis, links, images, code, HTML tags, and GitHub's strikethrough and
// formulas. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::document {

// A piece of markup. A boundary is a hard line break or an HTML tag without a partner: it cannot move.
struct InlineEvent {
  enum class Kind { open, close, opaque, boundary } kind;
  std::size_t from, to;      // bytes of the paragraph
  std::string kept = {};     // code, formulas and references: the text, which is not translated
  bool is_emphasis = false;  // must have content
};

// Finds the markup of a paragraph, in order and properly nested. `is_defined`: whether a link label has a definition.
// Takes linear time.
std::vector<InlineEvent> scan_inline_markup(std::string_view paragraph,
                                            const std::function<bool(std::string_view)>& is_defined);

}  // namespace heed::document
