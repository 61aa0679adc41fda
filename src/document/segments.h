// Segments of a document: runs of text with inline tags, and attribute values. A translated document is the original
// bytes, in which only the bytes of the segments are replaced; HTML, XML and Markdown are written in this way.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "text/sentences.h"

namespace heed::document {

using text::ByteRange;

// The bytes of the markup behind a mark. What is opaque, such as an image, code or a comment, is `open` as a whole.
struct MarkBytes {
  ByteRange open, close = {};
  bool opaque = false;
  bool needs_content = false;  // it is left out if it would be empty
};

struct Segment {
  ByteRange range;        // what its translation replaces
  text::MarkedText text;  // the id of a mark is its index in `markup`
  std::vector<MarkBytes> markup = {};
  char quote = 0;  // of an attribute value: the quotation mark to write around it
};

// Builds the segment of a run of text and inline tags whose bytes follow each other. White space is collapsed; that at
// the ends of the run, outside of tags, is not part of the segment.
class SegmentBuilder {
 public:
  // `document` must outlive the builder.
  explicit SegmentBuilder(std::string_view document) : document_(document) {}

  // `text`: what the bytes mean. Any bytes become valid UTF-8.
  void add_text(ByteRange bytes, std::string_view text);
  void open(ByteRange tag, bool needs_content = false);
  void close(ByteRange tag);
  // Markup that moves as a whole; `kept`: its text, which the translator sees but does not change.
  void add_opaque(ByteRange bytes, std::string_view kept = {});

  std::size_t marks() const { return segment_.markup.size(); }
  std::size_t end() const { return end_; }  // of the bytes so far
  bool empty() const { return !started_; }
  // Ends the segment and begins the next one. False, without a result, if there is nothing to translate.
  bool finish(Segment& segment);

 private:
  void start(std::size_t at);
  void append(std::string_view text, bool kept);
  void add_mark(ByteRange open, bool opaque);

  std::string_view document_;
  Segment segment_;
  std::vector<std::size_t> open_;  // marks
  std::uint32_t characters_ = 0;
  std::size_t end_ = 0;
  bool started_ = false, has_letters_ = false, behind_opaque_ = false;
};

// The segment of an attribute value; empty text if there is nothing to translate. `bytes` include the quotes.
Segment attribute_segment(std::string_view document, ByteRange bytes, std::string_view value);

// Whether a mark of a translated segment is not written: it needs content and has none.
bool is_left_out(const Segment& segment, const text::MarkedText& result, std::size_t mark);

// Writes text as it appears in a document; `quote` as in Segment.
using EscapeText = std::string (*)(std::string_view text, char quote);
// & < > and the quotation mark as entities: for HTML and XML.
std::string escape_markup(std::string_view text, char quote);

// A change of the document that needs no translation.
struct ByteEdit {
  ByteRange range;
  std::string bytes;
};

// Translates the segments and writes the document. Neither `segments` nor `values`, which may lie inside the tags of
// segments, may overlap among themselves; both are in any order.
// `accepts`, if there is one, is asked about the bytes of each translated segment; those that it refuses stay as they
// were.
using AcceptSegment =
    std::function<bool(const Segment& segment, const text::MarkedText& result, std::string_view bytes)>;
void write_document(std::string_view document, std::vector<Segment> segments, std::vector<Segment> values,
                    std::vector<ByteEdit> edits, EscapeText escape, const TranslateSegments& translate,
                    const Write& write, const AcceptSegment& accepts = {});

// Reads the whole input. InputError if it has more than `limit` bytes.
std::string read_document(ByteSource& input, std::size_t limit);
inline constexpr std::size_t kMaxDocument = std::size_t{64} << 20;

}  // namespace heed::document
