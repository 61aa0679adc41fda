// Word documents (docx): the paragraphs of the body, headers, footers, footnotes, endnotes and comments are translated,
// including those in tables and text boxes. Deleted text of tracked changes, formulas, the results of fields other than
// links, and all other files of the archive stay as they are.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

#include "document/office_file.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

std::shared_ptr<const OfficeParagraph> parse_docx_paragraph(std::span<const XmlToken> tokens);

using DocxTokens = std::span<const XmlToken>;

// A child element: tokens [start, end). White space between children belongs to none of them.
struct DocxChild {
  std::size_t start = 0, end = 0;
};
std::vector<DocxChild> docx_children(DocxTokens tokens) {
  std::vector<DocxChild> children;
  for (std::size_t i = 0; i < tokens.size();) {
    const std::size_t end = tokens[i].kind == XmlToken::Kind::start ? skip_element(tokens, i) : i + 1;
    if (tokens[i].is_tag()) children.push_back({i, end});
    i = end;
  }
  return children;
}

// The tokens between the start and end tags of an element.
DocxTokens docx_inside(DocxTokens element) {
  return element.size() < 2 ? DocxTokens() : element.subspan(1, element.size() - 2);
}

class DocxParagraph {
 public:
  explicit DocxParagraph(DocxTokens tokens) {
    const std::string_view name = tokens.front().name();
    content_.prefix = name.substr(0, name.size() - 1);
    content_.start = tokens.front().raw;
    if (tokens.size() < 2) return;
    content_.end = tokens.back().raw;
    DocxTokens body = docx_inside(tokens);
    take_properties(body, content_.start);
    add_children(body, 0);
    end_field_start();
    // The translation needs a run even if the paragraph had none.
    if (content_.formats.empty()) content_.formats.push_back("<" + content_.prefix + "r>");
  }

  OfficeParagraph::Content take() { return std::move(content_); }

 private:
  bool is(const XmlToken& tag, std::string_view local) const {
    const std::string_view name = tag.name();
    return name.starts_with(content_.prefix) && name.substr(content_.prefix.size()) == local;
  }

  // Moves the properties (…Pr) at the start of an element from `body` to `start`.
  void take_properties(DocxTokens& body, std::string& start) const {
    for (;;) {
      const auto first = std::ranges::find_if(body, &XmlToken::is_tag);
      if (first == body.end() || first->kind == XmlToken::Kind::end || !first->local_name().ends_with("Pr")) return;
      const auto at = static_cast<std::size_t>(first - body.begin());
      const std::size_t end = first->kind == XmlToken::Kind::start ? skip_element(body, at) : at + 1;
      start += join_tokens(body.subspan(at, end - at));
      body = body.subspan(end);
    }
  }

  void add_children(DocxTokens body, int depth) {
    static constexpr std::array<std::string_view, 7> kAround = {"hyperlink", "ins", "moveTo",   "smartTag",
                                                                "dir",       "bdo", "fldSimple"};
    for (const DocxChild& child : docx_children(body)) {
      const DocxTokens element = body.subspan(child.start, child.end - child.start);
      const XmlToken& tag = element.front();
      const bool around = std::ranges::any_of(kAround, [&](std::string_view name) { return is(tag, name); });
      if (is(tag, "r") && element.size() > 1) {
        add_run(element, depth);
      } else if (field_depth_ > 0) {
        field_start_ += join_tokens(element);
      } else if (around && element.size() > 1) {
        add_around(element, depth);
      } else if (is(tag, "sdt") && element.size() > 1) {
        add_control(element, depth);
      } else if (!is(tag, "proofErr")) {
        add_single(element, false, -1);
      }
    }
  }

  void add_single(DocxTokens element, bool in_run, int format, OfficeAtom::Kind kind = OfficeAtom::Kind::single) {
    content_.atoms.push_back(
        {.kind = kind, .content = OfficeFragment(element, parse_docx_paragraph), .format = format, .in_run = in_run});
  }

  void add_around(DocxTokens element, int depth) {
    std::string start = element.front().raw;
    DocxTokens body = docx_inside(element);
    take_properties(body, start);
    const bool computed = is(element.front(), "fldSimple") &&
                          !is_link(find_attribute(element.front(), content_.prefix + "instr").value_or(""));
    content_.atoms.push_back(
        {.kind = OfficeAtom::Kind::open, .text = std::move(start), .key = "element", .strict = true, .keep = computed});
    add_children(body, depth + 1);
    end_field_start();
    content_.atoms.push_back(
        {.kind = OfficeAtom::Kind::close, .text = element.back().raw, .key = "element", .strict = true});
  }

  // <w:sdt>, a content control: its text is in <w:sdtContent>.
  void add_control(DocxTokens element, int depth) {
    const auto found = std::ranges::find_if(
        element, [&](const XmlToken& t) { return t.kind == XmlToken::Kind::start && is(t, "sdtContent"); });
    if (found == element.end()) return add_single(element, false, -1);
    const auto at = static_cast<std::size_t>(found - element.begin());
    const std::size_t end = skip_element(element, at) - 1;
    content_.atoms.push_back(
        {.kind = OfficeAtom::Kind::open, .text = join_tokens(element.first(at + 1)), .key = "element", .strict = true});
    add_children(element.subspan(at + 1, end - at - 1), depth + 1);
    end_field_start();
    content_.atoms.push_back(
        {.kind = OfficeAtom::Kind::close, .text = join_tokens(element.subspan(end)), .key = "element", .strict = true});
  }

  static bool is_link(std::string_view instruction) { return instruction.find("HYPERLINK") != instruction.npos; }

  // The index in content_.formats of runs with these properties.
  int find_format(const std::string& properties) {
    const auto [found, is_new] = formats_.emplace(properties, static_cast<int>(content_.formats.size()));
    if (is_new) content_.formats.push_back("<" + content_.prefix + "r>" + properties);
    return found->second;
  }

  void add_run(DocxTokens run, int depth) {
    DocxTokens body = docx_inside(run);
    if (take_field_run(run)) return;
    std::string properties;
    take_properties(body, properties);
    const int format = find_format(properties);
    static constexpr std::array<std::string_view, 4> kSeparators = {"tab", "br", "cr", "ptab"};
    for (const DocxChild& child : docx_children(body)) {
      const DocxTokens element = body.subspan(child.start, child.end - child.start);
      const XmlToken& tag = element.front();
      if (is(tag, "t")) {
        add_text(docx_inside(element), format);
      } else if (is(tag, "noBreakHyphen")) {
        content_.atoms.push_back({.text = "\xE2\x80\x91", .format = format});
      } else if (std::ranges::any_of(kSeparators, [&](std::string_view name) { return is(tag, name); })) {
        const bool separates = depth == 0 && open_fields_ == 0;
        if (!separates) content_.atoms.push_back({.text = " ", .format = format});  // keeps the words apart
        add_single(element, true, format, separates ? OfficeAtom::Kind::separator : OfficeAtom::Kind::single);
      } else if (!is(tag, "softHyphen") && !is(tag, "lastRenderedPageBreak")) {
        add_single(element, true, format);
      }
    }
  }

  void add_text(DocxTokens tokens, int format) {
    std::vector<InlineItem> items;
    for (const XmlToken& token : tokens)
      if (token.kind == XmlToken::Kind::text || token.kind == XmlToken::Kind::cdata) add_text_items(token, items);
    for (InlineItem& item : items) {
      std::ranges::replace(item.text, '\n', ' ');  // in XML, just white space
      if (!item.text.empty()) content_.atoms.push_back({.text = std::move(item.text), .format = format});
    }
  }

  // A field consists of several runs: its start, instruction, separator, result and end. True if this run is one of
  // these other than the result.
  bool take_field_run(DocxTokens run) {
    bool begins = false, separates = false, ends = false;
    std::string instruction;
    for (const DocxChild& child : docx_children(docx_inside(run))) {
      const DocxTokens element = docx_inside(run).subspan(child.start, child.end - child.start);
      if (is(element.front(), "instrText")) instruction += join_tokens(docx_inside(element));
      if (!is(element.front(), "fldChar")) continue;
      const std::string type = find_attribute(element.front(), content_.prefix + "fldCharType").value_or("");
      begins |= type == "begin";
      separates |= type == "separate";
      ends |= type == "end";
    }
    if (field_depth_ == 0 && !begins && !separates && !ends) return false;
    const bool was_start = field_depth_ > 0;
    if (begins || was_start) field_start_ += join_tokens(run);
    instruction_ += instruction;
    if (begins && ends) return field_depth_ > 0 || (end_field_start(), true);
    field_depth_ += begins;
    if (was_start && separates && --field_depth_ == 0) {
      ++open_fields_;
      content_.atoms.push_back({.kind = OfficeAtom::Kind::open,
                                .text = std::exchange(field_start_, {}),
                                .key = "field",
                                .keep = !is_link(instruction_)});
      instruction_.clear();
    } else if (was_start && ends && --field_depth_ == 0) {
      end_field_start();
    } else if (!was_start && ends) {
      open_fields_ = std::max(open_fields_ - 1, 0);
      content_.atoms.push_back({.kind = OfficeAtom::Kind::close, .text = join_tokens(run), .key = "field"});
    } else if (!was_start && !begins) {
      add_single(run, false, -1);
    }
    return true;
  }

  // Keeps the start of a field as it is if the field has no result in this element.
  void end_field_start() {
    field_depth_ = 0;
    instruction_.clear();
    if (field_start_.empty()) return;
    const XmlToken raw{XmlToken::Kind::text, std::exchange(field_start_, {})};
    add_single(DocxTokens(&raw, 1), false, -1);
  }

  OfficeParagraph::Content content_;
  std::map<std::string, int> formats_;     // run properties -> index in content_.formats
  std::string field_start_, instruction_;  // of the field whose result has not started yet
  int field_depth_ = 0;                    // of nested fields whose results have not started yet
  int open_fields_ = 0;                    // fields whose result we are in
};

std::shared_ptr<const OfficeParagraph> parse_docx_paragraph(DocxTokens tokens) {
  const std::string_view name = tokens.front().name();
  if (name != "w:p") return nullptr;
  return std::make_shared<OfficeParagraph>(DocxParagraph(tokens.first(skip_element(tokens, 0))).take());
}

bool is_docx_text(std::string_view name) {
  if (!name.starts_with("word/") || !name.ends_with(".xml")) return false;
  name = name.substr(5, name.size() - 9);
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name.remove_suffix(1);
  static constexpr std::array<std::string_view, 6> kNames = {"document",  "header",   "footer",
                                                             "footnotes", "endnotes", "comments"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

void translate_docx(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  static constexpr OfficeFormat kDocx = {
      .kind = "docx",
      .main = "word/document.xml",
      .has_text = is_docx_text,
      .is_skipped = [](const XmlToken&) { return false; },
      .parse = parse_docx_paragraph,
  };
  translate_office(input, write, kDocx, translate);
}

}  // namespace heed::document
