// HTML: translates the text of blocks, with their inline elements, and the attributes that people read. Everything else
// keeps its bytes, except for a declared character encoding, which becomes UTF-8.
#include <strings.h>

#include <algorithm>

#include "base/error.h"
#include "document/html_tree.h"
#include "document/segments.h"

namespace heed::document {
namespace {

class HtmlSegments {
 public:
  HtmlSegments(std::string_view html, const HtmlTree& tree) : html_(html), tree_(tree), builder_(html) {}

  void run() {
    const std::vector<HtmlItem>& items = tree_.items();
    std::vector<std::uint32_t> ends;  // of the blocks that contain the item
    for (std::uint32_t i = 0; i < items.size();) {
      while (!ends.empty() && ends.back() <= i) {
        flush();
        ends.pop_back();
      }
      const HtmlItem& item = items[i];
      add_attributes(item);
      if (item.kind == HtmlKind::block) {
        flush();
        ends.push_back(item.end);
        ++i;
        continue;
      }
      if (!item.has_bytes || item.kind == HtmlKind::skipped)
        flush();
      else
        add(i);
      i = item.end;
    }
    flush();
  }

  std::vector<Segment> segments, values;
  std::vector<ByteEdit> edits;

 private:
  void flush() {
    Segment segment;
    if (builder_.finish(segment)) segments.push_back(std::move(segment));
  }
  void add(std::uint32_t index);
  void add_one(const HtmlItem& item);
  void add_lines(const HtmlItem& item);
  void add_attributes(const HtmlItem& item);
  void add_meta(const GumboElement& element, const ByteRange& tag);
  void add_value(const GumboAttribute& attribute, const ByteRange& tag);
  std::string text_of(const GumboNode* node) const;

  std::string_view html_;
  const HtmlTree& tree_;
  SegmentBuilder builder_;
  std::size_t segments_end_ = 0;  // end of the last segment in the document
};

// The text of an element and its descendants.
std::string HtmlSegments::text_of(const GumboNode* node) const {
  std::string text;
  std::vector<const GumboNode*> open = {node};
  while (!open.empty()) {
    const GumboNode* top = open.back();
    open.pop_back();
    if (top->type == GUMBO_NODE_ELEMENT) {
      const GumboVector& children = top->v.element.children;
      for (unsigned i = children.length; i-- > 0;) open.push_back(static_cast<const GumboNode*>(children.data[i]));
    } else if (top->type == GUMBO_NODE_TEXT || top->type == GUMBO_NODE_WHITESPACE) {
      text += top->v.text.text;
    }
  }
  return text;
}

void HtmlSegments::add_one(const HtmlItem& item) {
  if (item.kind == HtmlKind::text)
    builder_.add_text(item.bytes, item.node->v.text.text);
  else
    builder_.add_opaque(item.bytes, item.kind == HtmlKind::kept ? text_of(item.node) : std::string());
}

// Lines of <pre> stay lines: each becomes a segment.
void HtmlSegments::add_lines(const HtmlItem& item) {
  const std::string_view raw = item.bytes.of(html_), text = item.node->v.text.text;
  // The parser drops a line feed right after <pre>.
  std::size_t at = std::ranges::count(raw, '\n') > std::ranges::count(text, '\n') ? raw.find('\n') + 1 : 0;
  if (std::ranges::count(raw.substr(at), '\n') != std::ranges::count(text, '\n')) return flush();
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    const std::size_t end = std::min(raw.find('\n', at), raw.size());
    builder_.add_text({item.bytes.from + at, item.bytes.from + end}, text.substr(from, to - from));
    if (to < text.size()) flush();
    from = to + 1;
    at = end + 1;
  }
}

// Adds an item with everything inside it to the segment; starts a new segment if its bytes do not follow the last ones.
void HtmlSegments::add(std::uint32_t index) {
  constexpr std::size_t kMostMarks = 500;
  const std::vector<HtmlItem>& items = tree_.items();
  const HtmlItem& first = items[index];
  if (first.bytes.from < segments_end_) return flush();  // moved by the parser
  if (builder_.end() != first.bytes.from || builder_.marks() >= kMostMarks) flush();
  segments_end_ = first.bytes.to;
  if (first.kind == HtmlKind::text && first.in_pre) return add_lines(first);
  std::vector<std::uint32_t> open;
  const auto close = [&] {
    builder_.close(tree_.bytes(items[open.back()].node->v.element.original_end_tag));
    open.pop_back();
  };
  for (std::uint32_t i = index; i < first.end; ++i) {
    while (!open.empty() && items[open.back()].end <= i) close();
    if (i != index) add_attributes(items[i]);
    if (items[i].kind != HtmlKind::element) {
      add_one(items[i]);
      i = items[i].end - 1;
      continue;
    }
    builder_.open(tree_.bytes(items[i].node->v.element.original_tag));
    open.push_back(i);
  }
  while (!open.empty()) close();
}

void HtmlSegments::add_value(const GumboAttribute& attribute, const ByteRange& tag) {
  const ByteRange bytes = tree_.bytes(attribute.original_value);
  if (bytes.from >= bytes.to || bytes.from < tag.from || bytes.to > tag.to) return;
  Segment segment = attribute_segment(html_, bytes, attribute.value);
  if (!segment.text.text.empty()) values.push_back(std::move(segment));
}

void HtmlSegments::add_attributes(const HtmlItem& item) {
  constexpr unsigned kAsWritten = GUMBO_INSERTION_IMPLICIT_END_TAG | GUMBO_INSERTION_FOSTER_PARENTED;
  if (!item.has_attributes || (static_cast<unsigned>(item.node->parse_flags) & ~kAsWritten) != 0) return;
  const GumboElement& element = item.node->v.element;
  const ByteRange tag = tree_.bytes(element.original_tag);
  if (element.tag == GUMBO_TAG_META) return add_meta(element, tag);
  for (const char* name : {"alt", "title", "placeholder", "aria-label"})
    if (const GumboAttribute* attribute = gumbo_get_attribute(&element.attributes, name)) add_value(*attribute, tag);
}

// The description of a page, and its encoding.
void HtmlSegments::add_meta(const GumboElement& element, const ByteRange& tag) {
  const auto value = [&](const char* name) { return gumbo_get_attribute(&element.attributes, name); };
  const GumboAttribute *content = value("content"), *charset = value("charset");
  const GumboAttribute* name = value("name") != nullptr ? value("name") : value("property");
  if (content != nullptr && name != nullptr)
    for (const char* translated : {"description", "og:title", "og:description"})
      if (strcasecmp(name->value, translated) == 0) add_value(*content, tag);
  if (value("http-equiv") != nullptr) charset = content;
  if (charset == nullptr) return;
  const ByteRange bytes = tree_.bytes(charset->original_value);
  std::string_view raw = bytes.of(html_);
  std::size_t from = 0;
  if (charset == content) {
    std::string lower(raw);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    from = lower.find("charset=");
    if (from == lower.npos) return;
    from += 8;
  }
  from = std::min(raw.find_first_not_of("\"' ", from), raw.size());
  const std::size_t to = std::min(raw.find_first_of("\"' ;", from), raw.size());
  const std::string_view declared = raw.substr(from, to - from);
  if (declared.empty() || bytes.from < tag.from || bytes.to > tag.to || strncasecmp(declared.data(), "utf-8", 5) == 0)
    return;
  edits.push_back({{bytes.from + from, bytes.from + to}, "utf-8"});
}

}  // namespace

void translate_html(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  const std::string html = read_document(input, kMaxDocument);
  const HtmlTree tree(html, input.name());
  HtmlSegments found(html, tree);
  found.run();
  write_document(html, std::move(found.segments), std::move(found.values), std::move(found.edits), escape_markup,
                 translate, write);
}

}  // namespace heed::document
