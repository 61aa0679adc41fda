// Replaces parts of a text and tells where everything else has moved. Immutable, thread-safe.
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
  bool space_before = true, space_after = true;  // whether an insertion is separated from adjacent words
  std::size_t item = 0;                          // for the caller
  text::Span result = {};                        // where `text` is in the new text; TextEdits sets it
};

class TextEdits {
 public:
  // `edits` must not overlap. A replacement is always separated from adjacent letters and digits; a removal also
  // removes a space that would be doubled or would begin or end the text.
  TextEdits(std::u32string_view old_text, std::vector<TextEdit> edits);

  const std::u32string& text() const { return text_; }
  // In the order of the text.
  std::span<const TextEdit> edits() const { return edits_; }

  // Where a position of the old text is in the new text: after what was inserted there, or before it. Never inside a
  // replacement.
  std::uint32_t after(std::uint32_t position) const;
  std::uint32_t before(std::uint32_t position) const;
  text::Span moved(const text::Span& span) const;
  // The first edit that replaced characters of the span; null if none did.
  const TextEdit* replaced(const text::Span& span) const;

 private:
  // What an edit replaces and inserts, including the spaces that it removes or adds.
  struct Reach {
    text::Span old_text, new_text;
  };
  std::u32string text_;
  std::vector<TextEdit> edits_;
  std::vector<Reach> reaches_;
};

}  // namespace heed::translate
