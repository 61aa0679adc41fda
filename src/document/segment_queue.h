// Collects the segments of a document and writes it in its order: what lies between segments as it is, and the
// translations of a bounded number of segments at a time, so that memory does not grow with the document.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"

namespace heed::document {

class SegmentQueue {
 public:
  // The text of a unit, from the translations of its segments.
  using Render = std::function<std::string(std::span<const text::MarkedText>)>;

  // Both must outlive the queue.
  SegmentQueue(const Write& write, const TranslateSegments& translate) : write_(write), translate_(translate) {}

  void add(std::string_view text);
  // Segments that belong together. If their translations are what they were, `original` is written instead.
  void add(std::vector<text::MarkedText> segments, Render render, std::string original);
  // Writes what is left.
  void flush();

 private:
  struct Unit {
    std::string before;    // written first
    std::string original;  // of the unit itself
    std::size_t segments = 0;
    Render render = {};
  };

  const Write& write_;
  const TranslateSegments& translate_;
  std::vector<Unit> units_;
  std::vector<text::MarkedText> segments_;
  std::string text_;  // after the last unit
  std::size_t bytes_ = 0;
};

// Text that is translated line by line: the parts of it that have a letter, without the white space around them. Line
// ends within a mark become spaces.
class LineSegments {
 public:
  explicit LineSegments(const text::MarkedText& text);

  const std::vector<text::MarkedText>& segments() const { return segments_; }
  // The whole text from the translations of the segments.
  text::MarkedText join(std::span<const text::MarkedText> translations) const;

 private:
  void add_line(std::u32string_view line, std::size_t start, std::span<const text::Mark> marks, std::size_t first);

  std::vector<text::MarkedText> segments_;
  std::vector<text::MarkedText> fixed_;  // before each segment, and after the last one
};

// Whether there is anything to translate.
bool has_letters(std::string_view text);
// Text and marks, behind those of `to`.
void append(text::MarkedText& to, const text::MarkedText& text);

}  // namespace heed::document
