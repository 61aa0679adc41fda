#include "document/xml_inline.h"

#include <algorithm>

namespace heed::document {

namespace {

InlineItem make_inline_item(const XmlToken& tag, std::string raw, const InlineElement* element) {
  InlineItem item{.kind = InlineItem::Kind::single, .text = std::move(raw)};
  if (element == nullptr || (element->kind != InlineKind::start && element->kind != InlineKind::end)) return item;
  auto key = find_attribute(tag, element->key);
  if (!key && !element->other_key.empty()) key = find_attribute(tag, element->other_key);
  if (!key) return item;
  item.kind = element->kind == InlineKind::start ? InlineItem::Kind::open : InlineItem::Kind::close;
  item.key = *key;
  return item;
}

bool is_protected(const XmlToken& tag) {
  return find_attribute(tag, "translate") == "no" || find_attribute(tag, "mtype") == "protected";
}

}  // namespace

InlineContent::InlineContent(std::span<const XmlToken> tokens, std::span<const InlineElement> elements,
                             const std::function<bool(const XmlToken&)>& separates) {
  std::vector<InlineItem> items;
  std::vector<bool> separate;  // of the elements that we are in
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const XmlToken& token = tokens[i];
    if (token.kind == XmlToken::Kind::text || token.kind == XmlToken::Kind::cdata) {
      add_text_items(token, items);
    } else if (token.kind == XmlToken::Kind::end) {
      if (separate.back())
        end_part(items, token.raw);
      else
        items.push_back(
            {.kind = InlineItem::Kind::close, .text = token.raw, .key = std::string(token.name()), .strict = true});
      separate.pop_back();
    } else if (!token.is_tag()) {
      items.push_back({.kind = InlineItem::Kind::single, .text = token.raw});
    } else {
      const auto element = std::ranges::find(elements, token.local_name(), &InlineElement::name);
      const InlineElement* found = element == elements.end() ? nullptr : &*element;
      if (token.kind == XmlToken::Kind::start && found != nullptr && found->kind == InlineKind::around) {
        // Only elements that no mark contains can be separate.
        separate.push_back(std::ranges::count(separate, false) == 0 && separates && separates(token));
        if (separate.back())
          end_part(items, token.raw);
        else
          items.push_back({.kind = InlineItem::Kind::open,
                           .text = token.raw,
                           .key = std::string(token.name()),
                           .strict = true,
                           .keep = is_protected(token)});
        continue;
      }
      const std::size_t end = token.kind == XmlToken::Kind::start ? skip_element(tokens, i) : i + 1;
      items.push_back(make_inline_item(token, join_tokens(tokens.subspan(i, end - i)), found));
      i = end - 1;
    }
  }
  end_part(items, {});
}

void InlineContent::end_part(std::vector<InlineItem>& items, std::string raw) {
  MarkTags tags;
  const text::MarkedText text = mark_text(items, tags);
  parts_.push_back({.raw = std::move(raw), .lines = LineSegments(text), .tags = std::move(tags)});
  items.clear();
}

std::vector<text::MarkedText> InlineContent::segments() const {
  std::vector<text::MarkedText> segments;
  for (const Part& part : parts_) std::ranges::copy(part.lines.segments(), std::back_inserter(segments));
  return segments;
}

std::string InlineContent::write(std::span<const text::MarkedText> translations) const {
  std::string out;
  for (const Part& part : parts_) {
    const std::size_t count = part.lines.segments().size();
    out += write_marked_text(part.lines.join(translations.first(count)), part.tags,
                             [](std::string& to, std::string_view text) { append_markup(to, text); });
    out += part.raw;
    translations = translations.subspan(count);
  }
  return out;
}

}  // namespace heed::document
