// Segments of a document: runs of text with inline tags, and attribute values. A translated document consists of the
// original bytes, with only those of the segments replaced. HTML, XML and Markdown are written this way.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/format.h"
#include "text/sentences.h"

namespace heed::document {

using text::ByteRange;

// The bytes of the markup that a mark stands for. For opaque markup, such as an image, code or a comment, `open` is all
// of it.
struct MarkBytes {
  ByteRange open, close = {};
  bool opaque = false;
  bool needs_content = false;  // not written if it would be empty
};

struct Segment {
  ByteRange range;        // the bytes that its translation replaces
  text::MarkedText text;  // the id of a mark is its index in `markup`
  std::vector<MarkBytes> markup = {};
  char quote = 0;  // of an attribute value: the quotation mark to write around it
};

// Builds a segment from contiguous text and inline tags. White space is collapsed, and trimmed at both ends unless it
// is inside tags.
class SegmentBuilder {
 public:
  // `document` must outlive the builder.
  explicit SegmentBuilder(std::string_view document) : document_(document) {}

  // `text`: the decoded bytes. Invalid UTF-8 is replaced.
  void add_text(ByteRange bytes, std::string_view text);
  void open(ByteRange tag, bool needs_content = false);
  void close(ByteRange tag);
  // Adds markup that moves as a whole. `kept`: its text, which the translator sees but does not change.
  void add_opaque(ByteRange bytes, std::string_view kept = {});

  std::size_t marks() const { return segment_.markup.size(); }
  std::size_t end() const { return end_; }  // position after the last bytes added
  bool empty() const { return !started_; }
  // Ends the segment and begins the next one. Returns whether there is something to translate; if not, ignore
  // `segment`.
  bool finish(Segment& segment);

 private:
  void start(std::size_t at);
  void append(std::string_view text, bool kept);
  void add_mark(ByteRange open, bool opaque);

  std::string_view document_;
  Segment segment_;
  std::vector<std::size_t> open_;  // indices of marks
  std::uint32_t characters_ = 0;
  std::size_t end_ = 0;
  bool started_ = false, has_letters_ = false, after_opaque_ = false;
};

// The segment of an attribute value; its text is empty if there is nothing to translate. `bytes` include the quotes.
Segment attribute_segment(std::string_view document, ByteRange bytes, std::string_view value);

// Whether a mark of a translated segment is not written because it needs content and has none.
bool is_left_out(const Segment& segment, const text::MarkedText& result, std::size_t mark);

// Writes text as it appears in a document; `quote` as in Segment.
using EscapeText = std::string (*)(std::string_view text, char quote);
// For HTML and XML: escapes as append_markup() does, and adds the quotation marks.
std::string escape_markup(std::string_view text, char quote);

// A change to the document that needs no translation.
struct ByteEdit {
  ByteRange range;
  std::string bytes;
};

// Translates the segments and writes the document. Segments must not overlap each other, nor must `values`, but a value
// may lie inside a tag of a segment. Both may be in any order. `accepts`, if given, is called with the bytes of each
// translated segment; a segment that it refuses stays untranslated.
using AcceptSegment =
    std::function<bool(const Segment& segment, const text::MarkedText& result, std::string_view bytes)>;
void write_document(std::string_view document, std::vector<Segment> segments, std::vector<Segment> values,
                    std::vector<ByteEdit> edits, EscapeText escape, const TranslateSegments& translate,
                    const Write& write, const AcceptSegment& accepts = {});

// Reads the whole input. InputError if it has more than `limit` bytes.
std::string read_document(ByteSource& input, std::size_t limit);
inline constexpr std::size_t kMaxDocument = std::size_t{64} << 20;

}  // namespace heed::document
