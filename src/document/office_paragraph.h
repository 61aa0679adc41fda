// Paragraphs of office documents: converts their runs and inline elements to marks of the text, and back. A paragraph
// may contain things that are not part of its text, such as a footnote or a text box, with paragraphs of their own.
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

// XML that may contain paragraphs. Copies share the paragraphs.
class OfficeFragment {
 public:
  // The paragraph that starts at the first of the tokens, or null if none starts there.
  using Parse = std::function<std::shared_ptr<const OfficeParagraph>(std::span<const XmlToken>)>;

  OfficeFragment() = default;
  OfficeFragment(std::span<const XmlToken> tokens, const Parse& parse);

  void add_segments(std::vector<text::MarkedText>& segments) const;
  // Removes the translations of its own segments from the front of `translations`.
  std::string write(std::span<const text::MarkedText>& translations) const;

 private:
  struct Part {
    std::string before;
    std::shared_ptr<const OfficeParagraph> paragraph;  // null in the last part
  };
  std::vector<Part> parts_;
};

// The smallest part of a paragraph: text, or something between texts.
struct OfficeAtom {
  enum class Kind : std::uint8_t {
    text,
    single,     // contains no text of this paragraph
    separator,  // the same, but the texts around it are translated separately: a tab, a line break
    open,       // the start of something that contains text, up to the `close` with the same key
    close,
  };
  Kind kind = Kind::text;
  std::string text = {};        // text, or the tags of open and close
  OfficeFragment content = {};  // single, separator
  int format = -1;              // in a run: the index of its format
  std::string key = {};         // open, close
  bool strict = false;          // open, close: an element
  bool keep = false;            // open: its text is not translated
  bool in_run = false;          // single, separator: it belongs in a run
};

class OfficeParagraph {
 public:
  struct Content {
    std::string start, end;  // its tags, with what stays at the start and end
    std::vector<OfficeAtom> atoms;
    // The different ways in which runs start, such as "<w:r><w:rPr>…</w:rPr>". Empty if text needs no runs.
    std::vector<std::string> formats = {};
    std::string prefix = {};  // namespace prefix of runs: "w:"
  };
  explicit OfficeParagraph(Content content);

  void add_segments(std::vector<text::MarkedText>& segments) const;
  std::string write(std::span<const text::MarkedText>& translations) const;

 private:
  // A text that is translated separately, with the indices of the atoms before and after it.
  struct Part {
    std::vector<std::size_t> before, after;
    LineSegments lines;
    MarkTags tags;
  };
  class Writer;

  void choose_formats();
  void add_part(std::span<const std::size_t> atoms);

  Content content_;
  std::vector<int> base_;  // by index of an open atom: the format of its unmarked text; last: that of the paragraph
  std::vector<Part> parts_;
};

}  // namespace heed::document
