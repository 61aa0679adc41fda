// An HTML5 document, parsed by gumbo, as a list of nodes: for each its bytes in the document, and how it is translated.
// The bytes of a node are known only if the document contains it exactly as the tree does; a node that the parser
// added, moved or closed itself is a boundary between segments.
#pragma once

#include <gumbo.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/segments.h"

namespace heed::document {

enum class HtmlKind : std::uint8_t {
  text,
  markup,   // moves as a whole: a comment, an element without content, or one that is not translated
  kept,     // the same, with text that the translator sees but keeps
  element,  // an inline element with everything inside it: its tags follow its words
  block,    // any other element: its tags are boundaries
  skipped,  // a boundary whose content is not translated
};

struct HtmlItem {
  const GumboNode* node;
  HtmlKind kind;
  bool has_attributes = false;  // it may have attributes to translate
  bool in_pre = false;          // inside <pre>: lines stay lines
  bool has_bytes = false;       // `bytes` are known
  std::uint32_t end = 0;        // index after the last descendant
  ByteRange bytes = {};         // of an element, including its tags
};

class HtmlTree {
 public:
  // The document must outlive the tree. InputError if it is too large or nested too deeply; `name` is for messages.
  HtmlTree(std::string_view html, std::string_view name);
  ~HtmlTree();
  HtmlTree(const HtmlTree&) = delete;
  HtmlTree& operator=(const HtmlTree&) = delete;

  // In pre-order: an element comes before its descendants.
  const std::vector<HtmlItem>& items() const { return items_; }
  // The position of a part of the document, such as a tag; empty if the parser added it.
  ByteRange bytes(const GumboStringPiece& piece) const;

 private:
  struct Memory;

  void add_items(const GumboNode* root);
  HtmlItem make_item(const GumboNode* node, bool in_pre) const;
  void block_links_after_unclosed();
  void settle(std::size_t item);

  std::string_view html_;
  std::unique_ptr<Memory> memory_;
  std::vector<HtmlItem> items_;
};

}  // namespace heed::document
