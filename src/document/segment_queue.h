// Collects the segments of a document, has them translated, and writes the document in order, with the text between
// segments unchanged. It translates a bounded number of segments at a time, so that memory does not grow with the
// document. Not thread-safe.
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
  // Makes the text of a unit from the translations of its segments.
  using Render = std::function<std::string(std::span<const text::MarkedText>)>;

  // Both must outlive the queue.
  SegmentQueue(const Write& write, const TranslateSegments& translate) : write_(write), translate_(translate) {}

  // Adds text that is written unchanged.
  void add(std::string_view text);
  // Adds a unit: segments that are written together. If the translations equal the segments, `original` is written.
  void add(std::vector<text::MarkedText> segments, Render render, std::string original);
  // Translates and writes everything that was added.
  void flush();

 private:
  struct Unit {
    std::string before;    // text between the previous unit and this one
    std::string original;  // the unit before translation
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

// Splits a text into segments, one per line that has a letter, without the white space around it. Line ends within a
// mark do not split; they become spaces.
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

// Whether the text has a letter, so that there is something to translate.
bool has_letters(std::string_view text);
// Appends text and marks to `to`.
void append(text::MarkedText& to, const text::MarkedText& text);

}  // namespace heed::document
