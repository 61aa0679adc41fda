// XML of any vocabulary: an element with text of its own is a segment, and the elements inside it are inline; other
// elements are only structure. Attributes, comments and declarations are not translated.
#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/error.h"
#include "document/segments.h"
#include "document/xml_check.h"

namespace heed::document {
namespace {

enum class XmlKind : std::uint8_t { text, entity, cdata, markup, element };

struct XmlItem {
  XmlKind kind;
  ByteRange bytes;        // of an element: its start tag
  ByteRange close = {};   // of an element: its end tag; empty for <a/>
  std::uint32_t end = 0;  // index after the last descendant
  bool is_inline = true;  // neither it nor anything inside it is a block
  bool has_text = false;  // it has text of its own
  bool preserve = false;  // xml:space="preserve": white space matters
};

// Local names of elements: those that are never inline in common vocabularies, blocks that are not translated, and code
// within a sentence.
constexpr std::string_view kXmlBlocks[] = {
    "p",     "para",       "div",  "li",  "ul",   "ol",       "dl",           "dt",          "dd",
    "table", "tr",         "td",   "th",  "row",  "h1",       "h2",           "h3",          "section",
    "title", "blockquote", "list", "pre", "item", "listitem", "itemizedlist", "orderedlist", "variablelist"};
constexpr std::string_view kXmlSkipped[] = {"script", "style", "programlisting", "screen"};
constexpr std::string_view kXmlCode[] = {"code", "literal", "command", "filename", "kbd", "samp", "tt", "var"};

template <std::size_t N>
bool is_named(std::string_view name, const std::string_view (&names)[N]) {
  return std::ranges::find(names, name) != std::end(names);
}

bool is_xml_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The next white space at or after `at` that is not a single space between words; npos if there is none.
std::size_t find_layout(std::string_view text, std::size_t at) {
  for (; (at = text.find_first_of(" \t\r\n", at)) != text.npos; ++at)
    if (text[at] != ' ' || (at + 1 < text.size() && is_xml_space(text[at + 1]))) return at;
  return at;
}

// The name of a tag without its prefix.
std::string_view local_name(std::string_view tag) {
  tag.remove_prefix(1);
  tag = tag.substr(0, tag.find_first_of(" \t\r\n/>"));
  return tag.substr(tag.find(':') + 1);
}

// The value of an attribute with any prefix; empty if there is none. Does not decode entities.
std::string_view attribute_value(std::string_view tag, std::string_view name) {
  for (std::size_t at = 0; (at = tag.find(name, at)) != tag.npos; ++at) {
    const bool begins = at > 0 && (is_xml_space(tag[at - 1]) || tag[at - 1] == ':');
    std::size_t next = at + name.size();
    while (next < tag.size() && is_xml_space(tag[next])) ++next;
    if (!begins || next >= tag.size() || tag[next] != '=') continue;
    ++next;
    while (next < tag.size() && is_xml_space(tag[next])) ++next;
    if (next >= tag.size() || (tag[next] != '"' && tag[next] != '\'')) continue;
    return tag.substr(next + 1, tag.find(tag[next], next + 1) - next - 1);
  }
  return {};
}

bool is_untranslated_tag(std::string_view tag) {
  if (attribute_value(tag, "translate") == "no") return true;
  const std::string classes = " " + std::string(attribute_value(tag, "class")) + " ";
  return classes.find(" notranslate ") != classes.npos;
}

// The character that &amp;, &#233; or &#xE9; stands for; 0 for an entity that the document declares.
char32_t entity_character(std::string_view entity) {
  entity = entity.substr(1, entity.size() - 2);
  constexpr std::pair<std::string_view, char32_t> kNamed[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [name, character] : kNamed)
    if (entity == name) return character;
  if (!entity.starts_with('#')) return 0;
  const bool hex = entity.starts_with("#x");
  entity.remove_prefix(hex ? 2 : 1);
  std::uint32_t code = 0;
  std::from_chars(entity.data(), entity.data() + entity.size(), code, hex ? 16 : 10);
  return code;
}

// Splits a well-formed document into items.
class XmlScan {
 public:
  explicit XmlScan(std::string_view xml) : xml_(xml) {}

  std::vector<XmlItem> run() {
    while (at_ < xml_.size()) {
      const std::string_view rest = xml_.substr(at_);
      if (rest.starts_with("<!--"))
        add(XmlKind::markup, find("-->"));
      else if (rest.starts_with("<![CDATA["))
        add(XmlKind::cdata, find("]]>"));
      else if (rest.starts_with("<?"))
        add(XmlKind::markup, find("?>"));
      else if (rest.starts_with("<!"))
        add(XmlKind::markup, end_of_doctype());
      else if (rest.starts_with("</"))
        close();
      else if (rest.starts_with("<"))
        open();
      else
        add_text();
    }
    return std::move(items_);
  }

 private:
  std::size_t find(std::string_view end) const {
    return std::min(xml_.find(end, at_), xml_.size() - end.size()) + end.size();
  }
  XmlItem& add(XmlKind kind, std::size_t to) {
    const auto index = static_cast<std::uint32_t>(items_.size());
    items_.push_back({.kind = kind, .bytes = {at_, to}, .end = index + 1});
    items_.back().preserve = !open_.empty() && items_[open_.back()].preserve;
    at_ = to;
    return items_.back();
  }
  // Adds text up to the next tag or the next entity that the document declares.
  void add_text() {
    const std::size_t from = at_;
    const std::size_t end = std::min(xml_.find('<', at_), xml_.size());
    std::size_t to = from;
    while (to < end) {
      to = std::min(xml_.find('&', to), end);
      if (to == end) break;
      const std::size_t after = std::min(xml_.find(';', to) + 1, end);
      if (entity_character(xml_.substr(to, after - to)) == 0) {
        if (to > from) add(XmlKind::text, to);
        add(XmlKind::entity, after);
        return;
      }
      to = after;
    }
    add(XmlKind::text, end);
  }
  std::size_t end_of_tag() const {
    char quote = 0;
    for (std::size_t i = at_; i < xml_.size(); ++i) {
      const char c = xml_[i];
      if (quote != 0)
        quote = c == quote ? '\0' : quote;
      else if (c == '"' || c == '\'')
        quote = c;
      else if (c == '>')
        return i + 1;
    }
    return xml_.size();
  }
  // Ignores brackets in quotes, comments and processing instructions.
  std::size_t end_of_doctype() const {
    bool inside = false;
    for (std::size_t i = at_; i < xml_.size(); ++i) {
      const std::string_view rest = xml_.substr(i);
      if (rest.starts_with("<!--"))
        i = std::min(xml_.find("-->", i), xml_.size() - 1);
      else if (rest.starts_with("<?"))
        i = std::min(xml_.find("?>", i), xml_.size() - 1);
      else if (rest[0] == '"' || rest[0] == '\'')
        i = std::min(xml_.find(rest[0], i + 1), xml_.size() - 1);
      else if (rest[0] == '[')
        inside = true;
      else if (rest[0] == ']')
        inside = false;
      else if (rest[0] == '>' && !inside)
        return i + 1;
    }
    return xml_.size();
  }
  void open() {
    const std::size_t to = end_of_tag();
    const bool is_empty = xml_[to - 2] == '/';
    XmlItem& item = add(XmlKind::element, to);
    const std::string_view space = attribute_value(item.bytes.of(xml_), "xml:space");
    if (!space.empty()) item.preserve = space == "preserve";
    if (!is_empty) open_.push_back(static_cast<std::uint32_t>(items_.size() - 1));
  }
  void close() {
    if (open_.empty()) return void(at_ = end_of_tag());
    XmlItem& item = items_[open_.back()];
    item.close = {at_, end_of_tag()};
    item.end = static_cast<std::uint32_t>(items_.size());
    at_ = item.close.to;
    open_.pop_back();
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  std::vector<XmlItem> items_;
  std::vector<std::uint32_t> open_;
};

class XmlSegments {
 public:
  XmlSegments(std::string_view xml, std::span<const std::string> ignored)
      : xml_(xml), ignored_(ignored), items_(XmlScan(xml).run()), builder_(xml) {
    for (std::size_t i = items_.size(); i-- > 0;) settle(i);
  }

  std::vector<Segment> run() {
    for (std::uint32_t i = 0; i < items_.size(); i = items_[i].end) visit(i);
    return std::move(segments_);
  }

 private:
  std::string_view name_of(const XmlItem& item) const { return local_name(item.bytes.of(xml_)); }
  bool is_skipped(const XmlItem& item) const {
    return is_named(name_of(item), kXmlSkipped) || is_untranslated_tag(item.bytes.of(xml_)) ||
           std::ranges::find(ignored_, name_of(item)) != ignored_.end();
  }
  bool is_code(const XmlItem& item) const { return is_named(name_of(item), kXmlCode); }
  std::string decoded(const ByteRange& bytes) const;
  void settle(std::size_t index);
  void flush() {
    Segment segment;
    if (builder_.finish(segment)) segments_.push_back(std::move(segment));
  }
  void visit(std::uint32_t index);
  void add_content(std::uint32_t index);
  void add_inline(std::uint32_t index);
  void add_preserved(const XmlItem& item);
  void add_cdata(const XmlItem& item);

  std::string_view xml_;
  std::span<const std::string> ignored_;
  std::vector<XmlItem> items_;
  SegmentBuilder builder_;
  std::vector<Segment> segments_;
};

std::string XmlSegments::decoded(const ByteRange& bytes) const {
  std::string text;
  const std::string_view raw = bytes.of(xml_);
  for (std::size_t i = 0; i < raw.size();) {
    const std::size_t end = raw[i] == '&' ? raw.find(';', i) : raw.npos;
    if (end == raw.npos) {
      text += raw[i++];
      continue;
    }
    text::append_utf8(text, entity_character(raw.substr(i, end + 1 - i)));
    i = end + 1;
  }
  return text;
}

void XmlSegments::settle(std::size_t index) {
  constexpr std::uint32_t kMostItems = 500;
  XmlItem& item = items_[index];
  if (item.kind != XmlKind::element) return;
  item.is_inline = !is_named(name_of(item), kXmlBlocks) && item.end - index <= kMostItems;
  for (std::uint32_t i = static_cast<std::uint32_t>(index) + 1; i < item.end; i = items_[i].end) {
    const XmlItem& child = items_[i];
    if (child.kind == XmlKind::text)
      item.has_text = item.has_text || !std::ranges::all_of(child.bytes.of(xml_), is_xml_space);
    if (child.kind == XmlKind::text && child.preserve && find_layout(child.bytes.of(xml_), 0) != xml_.npos)
      item.is_inline = false;
    if (child.kind == XmlKind::entity) item.has_text = true;
    item.is_inline = item.is_inline && child.is_inline;
  }
}

// The translation of a CDATA section stays in it. A section with markup, as in feeds, is not translated.
void XmlSegments::add_cdata(const XmlItem& item) {
  const ByteRange inner{item.bytes.from + 9, item.bytes.to - 3};
  if (inner.of(xml_).find_first_of("<&") != xml_.npos) return;
  SegmentBuilder builder(xml_);
  builder.add_text(inner, inner.of(xml_));
  Segment segment;
  if (!builder.finish(segment)) return;
  segment.quote = ']';
  segments_.push_back(std::move(segment));
}

// Text whose white space matters: each stretch between line ends or wider gaps is translated separately.
void XmlSegments::add_preserved(const XmlItem& item) {
  const std::string_view raw = item.bytes.of(xml_);
  for (std::size_t from = 0; from < raw.size();) {
    const std::size_t to = std::min(find_layout(raw, from), raw.size());
    const ByteRange bytes{item.bytes.from + from, item.bytes.from + to};
    if (from < to) builder_.add_text(bytes, decoded(bytes));
    from = to;
    if (from == raw.size()) break;
    flush();
    while (from < raw.size() && is_xml_space(raw[from])) ++from;
  }
}

// Adds an item, with everything inside it, to the segment.
void XmlSegments::add_inline(std::uint32_t index) {
  std::vector<std::uint32_t> open;
  const auto close = [&] {
    builder_.close(items_[open.back()].close);
    open.pop_back();
  };
  for (std::uint32_t i = index; i < items_[index].end; ++i) {
    while (!open.empty() && items_[open.back()].end <= i) close();
    const XmlItem& item = items_[i];
    const ByteRange whole{item.bytes.from, std::max(item.bytes.to, item.close.to)};
    if (item.kind == XmlKind::text) {
      builder_.add_text(item.bytes, decoded(item.bytes));
    } else if (item.kind != XmlKind::element || item.close.to == 0 || is_skipped(item) || is_code(item)) {
      const bool only_text = item.kind == XmlKind::element && item.end == i + 2 && items_[i + 1].kind == XmlKind::text;
      builder_.add_opaque(whole, only_text ? decoded(items_[i + 1].bytes) : std::string());
      i = item.end - 1;
    } else {
      builder_.open(item.bytes);
      open.push_back(i);
    }
  }
  while (!open.empty()) close();
}

// Adds the content of an element with text; blocks inside it split it into segments.
void XmlSegments::add_content(std::uint32_t index) {
  constexpr std::size_t kMostMarks = 500;
  for (std::uint32_t i = index + 1; i < items_[index].end; i = items_[i].end) {
    if (items_[i].kind == XmlKind::element && !items_[i].is_inline) {
      flush();
      visit(i);
      continue;
    }
    if (builder_.marks() >= kMostMarks) flush();
    if (items_[i].kind == XmlKind::text && items_[i].preserve)
      add_preserved(items_[i]);
    else
      add_inline(i);
  }
  flush();
}

// Visits an item outside of segments. May recurse, because check_xml() limits the depth of a document.
void XmlSegments::visit(std::uint32_t index) {
  const XmlItem& item = items_[index];
  if (item.kind == XmlKind::cdata) add_cdata(item);
  if (item.kind != XmlKind::element || is_skipped(item) || is_code(item)) return;
  if (item.has_text) return add_content(index);
  for (std::uint32_t i = index + 1; i < item.end; i = items_[i].end) visit(i);
}

std::string escape_xml(std::string_view text, char quote) {
  if (quote != ']') return escape_markup(text, quote);
  std::string out(text);
  for (std::size_t at = 0; (at = out.find("]]>", at)) != out.npos; at += 3) out.replace(at, 3, "]]]]><![CDATA[>");
  return out;
}

// Reads the document in the encoding that it declares, and makes it declare UTF-8.
std::string read_xml(ByteSource& input) {
  const auto declared_encoding = [](std::string_view text) -> std::string_view {
    if (!text.starts_with("<?xml")) return {};
    return attribute_value(text.substr(0, text.find("?>")), "encoding");
  };
  const std::string name(declared_encoding(input.sample()));
  const Encoding encoding = encoding_by_name(name);
  if (input.encoding() == Encoding::detect && (encoding == Encoding::cp1252 || encoding == Encoding::latin1))
    input.set_encoding(encoding);
  std::string xml = read_document(input, kMaxDocument);
  check<InputError>(name.empty() || encoding != Encoding::detect ||
                        std::ranges::all_of(xml, [](char c) { return static_cast<signed char>(c) >= 0; }),
                    "{}:1: the encoding {} is not supported; convert the file to UTF-8 with iconv", input.name(),
                    in_quotes(name));
  const std::string_view declared = declared_encoding(xml);
  if (encoding != Encoding::utf8 && !declared.empty())
    xml.replace(static_cast<std::size_t>(declared.data() - xml.data()), declared.size(), "UTF-8");
  return xml;
}

}  // namespace

void translate_xml(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate) {
  const std::string xml = read_xml(input);
  check_xml(xml, input.name());
  write_document(xml, XmlSegments(xml, options.ignored).run(), {}, {}, escape_xml, translate, write);
}

}  // namespace heed::document
