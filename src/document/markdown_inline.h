// The inline markup of CommonMark: emphasis, links, images, code, HTML tags, and strikethrough as on GitHub.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::document {

// A boundary is a hard line break or an HTML tag without its partner: it does not move.
struct InlineEvent {
  enum class Kind { open, close, opaque, boundary } kind;
  std::size_t from, to;      // bytes of the paragraph
  std::string kept = {};     // of code and of references: its text
  bool is_emphasis = false;  // which must have content
};

// The markup of a paragraph, in order and properly nested. `is_defined`: whether a link label has a definition. Takes
// linear time.
std::vector<InlineEvent> scan_inline_markup(std::string_view paragraph,
                                            const std::function<bool(std::string_view)>& is_defined);

// What text between markup means: escapes and entities are decoded.
std::string decode_markdown(std::string_view text);
// Writes text so that none of it is markup; `quote` is '|' in the cell of a table.
std::string escape_markdown(std::string_view text, char quote);

}  // namespace heed::document
