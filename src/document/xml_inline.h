// The inline elements of XLIFF and TMX, which stand for tags of the original document.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/segment_queue.h"
#include "document/xml_tokens.h"

namespace heed::document {

enum class InlineKind : std::uint8_t {
  around,  // contains text: <g>
  code,    // contains no text to translate: <ph>
  start,   // code at the start of a pair: <bpt>
  end,     // at its end: <ept>
};
struct InlineElement {
  std::string_view name;
  InlineKind kind = InlineKind::code;
  std::string_view key = {}, other_key = {};  // attributes that match a start with its end
};

// Splits the content of a <source> or <seg> into segments. Elements for which `separates` is true contain segments of
// their own.
class InlineContent {
 public:
  InlineContent(std::span<const XmlToken> tokens, std::span<const InlineElement> elements,
                const std::function<bool(const XmlToken&)>& separates = {});

  std::vector<text::MarkedText> segments() const;
  // The content of <target>.
  std::string write(std::span<const text::MarkedText> translations) const;

 private:
  struct Part {
    std::string raw;  // the tag after the segments
    LineSegments lines;
    MarkTags tags;
  };
  void end_part(std::vector<InlineItem>& items, std::string raw);

  std::vector<Part> parts_;
};

}  // namespace heed::document
