// Converts the inline tags of a document to the marks of a text, and back. Thread-safe.
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
    open,    // the start of an element or pair
    close,   // its end, with the same `key`
    single,  // a tag without content
  };
  Kind kind = Kind::text;
  std::string text;      // text as a reader sees it, or a tag as it is written in the document
  std::string key = {};  // open, close: which belong together
  bool strict = false;   // open, close: an XML element, which must contain whole elements
  bool keep = false;     // open, single: what it covers is not translated
  int data = -1;         // open, single: for the caller
};

// The tags to write for each mark, by its id.
struct MarkTags {
  std::vector<std::string> open, close;
  std::vector<int> data;  // InlineItem::data
};

// Converts items to a text with marks and appends their tags. Tags without a partner become empty marks. Invalid UTF-8
// is replaced.
text::MarkedText mark_text(std::span<const InlineItem> items, MarkTags& tags);

// Visits a text from left to right: calls `text` for each stretch without tags, and `open` and `close` with the index
// of a mark.
struct MarkVisitor {
  std::function<void(std::string_view text)> text;
  std::function<void(std::size_t mark)> open, close;
};
void visit_marks(const text::MarkedText& text, const MarkVisitor& visitor);

// The text with its tags, as written in the document; `escape` appends text in escaped form.
using Escape = std::function<void(std::string& out, std::string_view text)>;
std::string write_marked_text(const text::MarkedText& text, const MarkTags& tags, const Escape& escape);

// Appends text escaped for HTML or XML: & < > and the quotation marks `quotes` become references, control characters
// that neither format allows become spaces.
void append_markup(std::string& out, std::string_view text, std::string_view quotes = {});

}  // namespace heed::document
