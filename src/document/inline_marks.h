// Inline tags of a document as the marks of a text, and back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/marked_text.h"

namespace heed::document {

// A part of a segment, in the order of the document.
struct InlineItem {
  enum class Kind : std::uint8_t {
    text,
    open,    // the start of what `key` ends
    close,   // its end
    single,  // a tag without content
  };
  Kind kind = Kind::text;
  std::string text;      // text as a reader sees it, or a tag as it is written in the document
  std::string key = {};  // of open and close: which belong together
  bool strict = false;   // of open and close: an element of XML, which must contain whole elements
  bool keep = false;     // of open and single: what it covers is not translated
  int data = -1;         // the caller's, of open and single
};

// How marks are written, by their id.
struct MarkTags {
  std::vector<std::string> open, close;
  std::vector<int> data;  // InlineItem::data
};

// Tags without a partner become empty marks. The text is made valid UTF-8.
text::MarkedText mark_text(std::span<const InlineItem> items, MarkTags& tags);

// Calls `text` for each stretch of text without a tag in it, `open` and `close` with the index of a mark, in the order
// of the text.
struct MarkVisitor {
  std::function<void(std::string_view text)> text;
  std::function<void(std::size_t mark)> open, close;
};
void visit_marks(const text::MarkedText& text, const MarkVisitor& visitor);

// The text as it is written in the document; `escape` appends text.
using Escape = std::function<void(std::string& out, std::string_view text)>;
std::string write_marked_text(const text::MarkedText& text, const MarkTags& tags, const Escape& escape);

}  // namespace heed::document
