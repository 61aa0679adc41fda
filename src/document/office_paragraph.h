// Paragraphs of office documents: their runs and inline elements as marks of the text, and back. What lies within a
// paragraph without being part of its text, such as a footnote or a text box, may have paragraphs of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "document/segment_queue.h"
#include "document/xml_tokens.h"

namespace heed::document {

class OfficeParagraph;

// XML with paragraphs in it. A value; copies share the paragraphs.
class OfficeFragment {
 public:
  // The paragraph that starts at the first of the tokens, or null if none starts there.
  using Parse = std::function<std::shared_ptr<const OfficeParagraph>(std::span<const XmlToken>)>;

  OfficeFragment() = default;
  OfficeFragment(std::span<const XmlToken> tokens, const Parse& parse);

  void add_segments(std::vector<text::MarkedText>& segments) const;
  // Takes the translations of its segments from the front.
  std::string write(std::span<const text::MarkedText>& translations) const;

 private:
  struct Part {
    std::string before;
    std::shared_ptr<const OfficeParagraph> paragraph;  // null at the end
  };
  std::vector<Part> parts_;
};

struct OfficeAtom {
  enum class Kind : std::uint8_t {
    text,
    single,     // without text of this paragraph
    separator,  // the same, between texts that are translated on their own: a tab, a line break
    open,       // the start of what contains text, up to the `close` with the same key
    close,
  };
  Kind kind = Kind::text;
  std::string text = {};        // text, or the tags of open and close
  OfficeFragment content = {};  // of single and separator
  int format = -1;              // of what stands in a run: the index of its format
  std::string key = {};         // of open and close
  bool strict = false;          // of open and close: an element
  bool keep = false;            // of open: its text is not translated
  bool in_run = false;          // of single and separator
};

class OfficeParagraph {
 public:
  struct Content {
    std::string start, end;  // its tags, and what stays at its start and end
    std::vector<OfficeAtom> atoms;
    // Of runs: how they start, such as "<w:r><w:rPr>…</w:rPr>". Empty if text needs no runs.
    std::vector<std::string> formats = {};
    std::string prefix = {};  // of the elements of runs: "w:"
  };
  explicit OfficeParagraph(Content content);

  void add_segments(std::vector<text::MarkedText>& segments) const;
  std::string write(std::span<const text::MarkedText>& translations) const;

 private:
  // A text that is translated on its own; numbers are indices of atoms.
  struct Part {
    std::vector<std::size_t> before, after;
    LineSegments lines;
    MarkTags tags;
  };
  class Writer;

  void choose_formats();
  void add_part(std::span<const std::size_t> atoms);

  Content content_;
  std::vector<int> base_;  // of open: the format of text without a mark for another; the last one is the paragraph's
  std::vector<Part> parts_;
};

}  // namespace heed::document
