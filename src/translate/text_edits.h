// Replaces parts of a text and tells where everything else has moved.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/unicode.h"

namespace heed::translate {

struct TextEdit {
  text::Span at;                                 // in the old text; empty: an insertion
  std::u32string text;                           // what replaces it; empty: it is removed
  bool space_before = true, space_after = true;  // whether an insertion is separated from a word beside it
  std::size_t item = 0;                          // the caller's
  text::Span result = {};                        // where `text` is in the new text; TextEdits sets it
};

class TextEdits {
 public:
  // `edits` do not overlap. A replacement is always separated from letters beside it; a removal also removes a space
  // that would be doubled or would begin or end the text.
  TextEdits(std::u32string_view old_text, std::vector<TextEdit> edits);

  const std::u32string& text() const { return text_; }
  // In the order of the text.
  std::span<const TextEdit> edits() const { return edits_; }

  // The new position of a position of the old text: behind what was inserted there, or in front of it. Both are
  // outside what was replaced.
  std::uint32_t behind(std::uint32_t position) const;
  std::uint32_t before(std::uint32_t position) const;
  text::Span moved(const text::Span& span) const;
  // The edit that replaced characters of the span; null if none did.
  const TextEdit* replaced(const text::Span& span) const;

 private:
  // Of an edit with the spaces that it adds or removes.
  struct Reach {
    text::Span old_text, new_text;
  };
  std::u32string text_;
  std::vector<TextEdit> edits_;
  std::vector<Reach> reaches_;
};

}  // namespace heed::translate
