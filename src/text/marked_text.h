// Text with marks: what the inline tags of a document, such as <b> or a link, cover. A translation has the same marks
// on the words that they belong to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/unicode.h"

namespace heed::text {

struct Mark {
  Span span;             // the characters that it covers; empty for one without content, such as <br>
  std::uint32_t id = 0;  // the caller's
  int parent = -1;       // the index of the innermost mark around it; -1: none
  bool keep = false;     // what it covers is not translated, such as code
  bool operator==(const Mark&) const = default;
};

struct MarkedText {
  std::string text;  // valid UTF-8
  // In the order in which they begin, an outer mark before those inside it; a mark lies within its parent, and marks
  // with the same parent do not overlap.
  std::vector<Mark> marks = {};
  bool operator==(const MarkedText&) const = default;
};

}  // namespace heed::text
