// References attached to a word or to the end of a sentence: "man<sup>1</sup>", "dog.<a>[12]</a>". They are not part of
// the sentence, but a model would read them as part of the word. So they are cut out of a text before it is translated,
// and put back after the translation of the word.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "text/marked_text.h"

namespace heed::translate {

// Text to insert at an empty mark.
struct MarkInsertion {
  std::u32string before = {}, inside = {}, after = {};
};
// Returns what to insert at a mark. `before` and `after` are the characters next to it; 0 if there are none.
using InsertAtMark = std::function<MarkInsertion(const text::Mark& mark, char32_t before, char32_t after)>;
// Calls `insert` for each empty mark without inner marks, in order. The spans of all marks follow the insertions.
void insert_at_marks(text::MarkedText& text, const InsertAtMark& insert);

// Cuts the references out of a text and puts them back into its translation. Immutable, thread-safe.
class AttachedMarks {
 public:
  // The ids of the marks must be unique.
  explicit AttachedMarks(const text::MarkedText& source);

  // The text without the references: their own marks are empty, and the marks inside them are gone.
  const text::MarkedText& text() const { return text_; }
  // Puts the references into a translation of text(), which must have the same marks.
  text::MarkedText restored(text::MarkedText translation) const;

 private:
  struct Reference {
    std::u32string text;
    std::vector<text::Mark> inside;  // spans relative to the reference; parent -1 is its own mark
    bool keep = false;
  };
  void set_marks(const text::MarkedText& source, const std::vector<std::uint32_t>& positions);

  text::MarkedText text_;
  std::map<std::uint32_t, Reference> references_;  // by mark id
};

}  // namespace heed::translate
