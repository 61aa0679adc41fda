// OpenDocument text (odt): paragraphs and headings are translated in the body, headers, footers, footnotes, tables and
// text boxes. Deleted text of tracked changes and all other files of the archive stay as they are.
#include <algorithm>
#include <array>

#include "document/office_file.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

bool is_odt_name(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

std::shared_ptr<const OfficeParagraph> parse_odt_paragraph(std::span<const XmlToken> tokens);

void add_odt_atoms(std::span<const XmlToken> tokens, int depth, std::vector<OfficeAtom>& atoms) {
  static constexpr std::array<std::string_view, 6> kAround = {"text:span",      "text:a",    "text:ruby",
                                                              "text:ruby-base", "text:meta", "text:bookmark-ref"};
  static constexpr std::array<std::string_view, 2> kSeparators = {"text:tab", "text:line-break"};
  for (std::size_t i = 0; i < tokens.size();) {
    const XmlToken& token = tokens[i];
    if (!token.is_tag()) {
      std::vector<InlineItem> items;
      if (token.kind == XmlToken::Kind::text || token.kind == XmlToken::Kind::cdata) add_text_items(token, items);
      for (InlineItem& item : items) {
        const bool is_text = item.kind == InlineItem::Kind::text;
        if (is_text) std::ranges::replace(item.text, '\n', ' ');  // in XML, just white space
        if (is_text) {
          atoms.push_back({.text = std::move(item.text)});
        } else {
          const XmlToken entity{XmlToken::Kind::text, item.text};
          atoms.push_back({.kind = OfficeAtom::Kind::single,
                           .content = OfficeFragment(std::span(&entity, 1), parse_odt_paragraph)});
        }
      }
      ++i;
      continue;
    }
    const std::size_t end = token.kind == XmlToken::Kind::start ? skip_element(tokens, i) : i + 1;
    if (token.kind == XmlToken::Kind::start && is_odt_name(token.name(), kAround)) {
      atoms.push_back({.kind = OfficeAtom::Kind::open, .text = token.raw, .key = "element", .strict = true});
      add_odt_atoms(tokens.subspan(i + 1, end - i - 2), depth + 1, atoms);
      atoms.push_back({.kind = OfficeAtom::Kind::close, .text = tokens[end - 1].raw, .key = "element", .strict = true});
    } else if (token.name() != "text:soft-page-break") {
      const bool separates = is_odt_name(token.name(), kSeparators);
      if (separates && depth > 0) atoms.push_back({.text = " "});  // keeps the words apart
      atoms.push_back({.kind = separates && depth == 0 ? OfficeAtom::Kind::separator : OfficeAtom::Kind::single,
                       .content = OfficeFragment(tokens.subspan(i, end - i), parse_odt_paragraph)});
    }
    i = end;
  }
}

std::shared_ptr<const OfficeParagraph> parse_odt_paragraph(std::span<const XmlToken> tokens) {
  const std::string_view name = tokens.front().name();
  if (name != "text:p" && name != "text:h") return nullptr;
  OfficeParagraph::Content content{.start = tokens.front().raw, .end = {}, .atoms = {}};
  const std::size_t end = skip_element(tokens, 0);
  if (end > 1) {
    add_odt_atoms(tokens.subspan(1, end - 2), 0, content.atoms);
    content.end = tokens[end - 1].raw;
  }
  return std::make_shared<OfficeParagraph>(std::move(content));
}

}  // namespace

void translate_odt(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments& translate) {
  static constexpr OfficeFormat kOdt = {
      .kind = "odt",
      .main = "content.xml",
      .has_text = [](std::string_view name) { return name == "content.xml" || name == "styles.xml"; },
      .is_skipped = [](const XmlToken& tag) { return tag.name() == "text:tracked-changes"; },
      .parse = parse_odt_paragraph,
  };
  translate_office(input, write, kOdt, translate);
}

}  // namespace heed::document
