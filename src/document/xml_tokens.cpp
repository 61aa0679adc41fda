#include "document/xml_tokens.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::document {

namespace {

constexpr std::string_view kXmlSpace = " \t\r\n";

struct XmlAttribute {
  std::string_view name;
  std::size_t value = 0, end = 0;  // positions of the value, without its quotes
};

// Parses the attribute at or after position `at` and moves `at` past it. Returns nothing at the end of the tag, with
// `at` set to its size, and if the rest is not an attribute.
std::optional<XmlAttribute> next_attribute(std::string_view tag, std::size_t& at) {
  at = std::min(tag.find_first_not_of(kXmlSpace, at), tag.size());
  if (const std::string_view rest = tag.substr(at); rest == ">" || rest == "/>" || rest == "?>") at = tag.size();
  const std::size_t equals = std::min(tag.find('=', at), tag.size());
  const std::size_t quote = std::min(tag.find_first_not_of(kXmlSpace, equals + 1), tag.size());
  if (equals == at || quote == tag.size() || (tag[quote] != '"' && tag[quote] != '\'')) return std::nullopt;
  std::string_view name = tag.substr(at, equals - at);
  name = name.substr(0, name.find_last_not_of(kXmlSpace) + 1);
  const std::size_t end = tag.find(tag[quote], quote + 1);
  if (end == tag.npos || name.find_first_of(" \t\r\n\"'<>/&") != name.npos) return std::nullopt;
  at = end + 1;
  return XmlAttribute{name, quote + 1, end};
}

std::size_t end_of_name(std::string_view tag) {
  return std::min(tag.find_first_of(" \t\r\n/>?", tag.starts_with("</") || tag.starts_with("<?") ? 2 : 1), tag.size());
}

std::optional<XmlAttribute> find_attribute_position(std::string_view tag, std::string_view name) {
  for (std::size_t at = end_of_name(tag);;) {
    const auto attribute = next_attribute(tag, at);
    if (!attribute || attribute->name == name) return attribute;
  }
}

constexpr std::pair<std::string_view, std::string_view> kXmlEntities[] = {
    {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};

// The text that a reference, given without & and ;, stands for; nothing if XML itself does not define it.
std::optional<std::string> decode_reference(std::string_view name) {
  for (const auto& [known, text] : kXmlEntities)
    if (name == known) return std::string(text);
  if (!name.starts_with('#')) return std::nullopt;
  const bool hex = name.starts_with("#x");
  name.remove_prefix(hex ? 2 : 1);
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  const bool good = error == std::errc() && end == name.data() + name.size() && code > 0 && code < 0x110000 &&
                    (code < 0xD800 || code > 0xDFFF);
  if (!good) return std::nullopt;
  std::string text;
  text::append_utf8(text, code);
  return text;
}

// The size of the reference at the start of `text`, with & and ;; 0 if there is none.
std::size_t reference_size(std::string_view text) {
  constexpr std::size_t kLongest = 64;
  const std::size_t end = text.substr(0, kLongest).find(';');
  const bool good = end != text.npos && end > 1 && text.substr(1, end - 1).find_first_of("& \t\r\n") == text.npos;
  return good ? end + 1 : 0;
}

}  // namespace

std::string_view XmlToken::name() const {
  const std::size_t start = kind == Kind::end ? 2 : 1;
  const std::size_t end = std::min(raw.find_first_of(" \t\r\n/>", start), raw.size());
  return std::string_view(raw).substr(start, end - start);
}

std::string_view XmlToken::local_name() const {
  const std::string_view full = name();
  return full.substr(full.find(':') + 1);  // npos + 1 is 0
}

bool XmlTokenizer::next(XmlToken& token) {
  token.raw.clear();
  if (reader_.at_end()) {
    if (!open_.empty()) reader_.fail(fmt::format("the file ends inside <{}>; it may be truncated", open_.back()));
    return false;
  }
  if (reader_.peek() != '<') {
    token.kind = XmlToken::Kind::text;
    while (!reader_.at_end() && reader_.peek() != '<') reader_.take(token.raw);
    if (open_.empty() && token.raw.find_first_not_of(kXmlSpace) != token.raw.npos)
      reader_.fail("there is text outside of all elements; this is not XML");
    return true;
  }
  take_markup(token);
  follow(token);
  return true;
}

void XmlTokenizer::take_markup(XmlToken& token) {
  constexpr std::pair<std::string_view, XmlToken::Kind> kKinds[] = {{"<!--", XmlToken::Kind::comment},
                                                                    {"<![CDATA[", XmlToken::Kind::cdata},
                                                                    {"<!DOCTYPE", XmlToken::Kind::doctype},
                                                                    {"<?", XmlToken::Kind::instruction},
                                                                    {"</", XmlToken::Kind::end}};
  using Kind = XmlToken::Kind;
  const auto may_be = [&](const auto& row) { return row.first.starts_with(token.raw); };
  token.kind = Kind::start;
  do {
    reader_.take(token.raw);
    for (const auto& [start, kind] : kKinds)
      if (token.raw == start) token.kind = kind;
  } while (token.kind == Kind::start && !reader_.at_end() && std::ranges::any_of(kKinds, may_be));
  if (token.kind == Kind::start && token.raw.starts_with("<!"))
    reader_.fail("a declaration where XML does not allow one");
  switch (token.kind) {
    case Kind::comment:
      return take_through(token.raw, "-->");
    case Kind::cdata:
      return take_through(token.raw, "]]>");
    case Kind::instruction:
      return take_through(token.raw, "?>");
    case Kind::doctype:
      return take_doctype(token.raw);
    default:
      take_tag(token.raw);
      if (token.kind == Kind::start && token.raw.ends_with("/>")) token.kind = Kind::empty;
  }
}

void XmlTokenizer::take_through(std::string& raw, std::string_view end) {
  const std::size_t start = raw.size();
  while (raw.size() < start + end.size() || !raw.ends_with(end)) {
    if (reader_.at_end()) reader_.fail(fmt::format("the file ends before '{}'; it may be truncated", end));
    reader_.take(raw);
  }
}

void XmlTokenizer::take_tag(std::string& raw) {
  // The first character after < or </ may have been read already.
  char quote = '\0';
  for (std::size_t at = 1;; ++at) {
    if (at == raw.size()) {
      if (reader_.at_end()) reader_.fail("the file ends inside a tag; it may be truncated");
      reader_.take(raw);
    }
    const char c = raw[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '>') {
      return;
    } else if (c == '<') {
      reader_.fail("a '<' inside a tag; write it as &lt; or close the tag before it");
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
  }
}

void XmlTokenizer::take_doctype(std::string& raw) {
  char quote = '\0';
  for (int brackets = 0;;) {
    if (reader_.at_end()) reader_.fail("the file ends inside <!DOCTYPE; it may be truncated");
    const char c = reader_.peek();
    reader_.take(raw);
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == ']') {
      brackets += c == '[' ? 1 : -1;
    } else if (c == '>' && brackets <= 0) {
      return;
    }
  }
}

void XmlTokenizer::follow(const XmlToken& token) {
  constexpr std::size_t kMaxDepth = 1000;
  if (token.is_tag() && token.name().empty()) reader_.fail("a tag without a name; this is not XML");
  if (token.is_tag()) {
    std::size_t at = end_of_name(token.raw);
    while (next_attribute(token.raw, at)) continue;
    if (at < token.raw.size())
      reader_.fail(
          fmt::format("<{}> contains something that is not an attribute, name=\"value\"", printable(token.name())));
  }
  if (token.kind == XmlToken::Kind::start) {
    if (open_.size() == kMaxDepth) reader_.fail(fmt::format("elements are nested more than {} deep", kMaxDepth));
    open_.emplace_back(token.name());
  } else if (token.kind == XmlToken::Kind::end) {
    if (open_.empty()) reader_.fail(fmt::format("</{}> closes nothing", printable(token.name())));
    if (open_.back() != token.name())
      reader_.fail(
          fmt::format("</{}> closes <{}>; the file is damaged", printable(token.name()), printable(open_.back())));
    open_.pop_back();
  }
}

void XmlTokenizer::take_element(std::vector<XmlToken>& tokens) {
  const std::size_t outside = depth() - 1;
  std::size_t size = 0;
  while (depth() > outside) {
    XmlToken token;
    next(token);
    // A token takes memory of its own, however short it is.
    size += token.raw.size() + sizeof(XmlToken);
    if (size > 4 * kMaxPart)
      reader_.fail(fmt::format("<{}> is too large for heed to read", printable(open_.empty() ? "" : open_.back())));
    tokens.push_back(std::move(token));
  }
}

bool use_xml_encoding(ByteSource& input) {
  const std::string sample = input.sample();
  if (!sample.starts_with("<?xml")) return false;
  const std::string_view declaration = std::string_view(sample).substr(0, sample.find("?>"));
  return use_declared_encoding(input, declaration, "encoding=\"", "\"") ||
         use_declared_encoding(input, declaration, "encoding='", "'");
}

std::optional<std::string> find_attribute(const XmlToken& tag, std::string_view name) {
  const auto found = find_attribute_position(tag.raw, name);
  if (!found) return std::nullopt;
  std::string value;
  for (std::size_t i = found->value; i < found->end;) {
    const std::string_view rest = std::string_view(tag.raw).substr(i, found->end - i);
    const std::size_t size = rest[0] == '&' ? reference_size(rest) : 0;
    const auto text = size > 0 ? decode_reference(rest.substr(1, size - 2)) : std::nullopt;
    value += text ? *text : std::string(1, rest[0]);
    i += text ? size : 1;
  }
  return value;
}

void set_attribute(XmlToken& tag, std::string_view name, std::string_view value) {
  std::string escaped;
  append_markup(escaped, value, "\"'");
  if (const auto found = find_attribute_position(tag.raw, name)) {
    tag.raw.replace(found->value, found->end - found->value, escaped);
    return;
  }
  const std::size_t end = tag.raw.size() - (tag.kind == XmlToken::Kind::empty ? 2 : 1);
  tag.raw.insert(tag.raw.find_last_not_of(kXmlSpace, end - 1) + 1, fmt::format(" {}=\"{}\"", name, escaped));
}

void add_text_items(const XmlToken& token, std::vector<InlineItem>& items) {
  constexpr std::string_view kStart = "<![CDATA[", kEnd = "]]>";
  if (token.kind == XmlToken::Kind::cdata) {
    items.push_back({.text = token.raw.substr(kStart.size(), token.raw.size() - kStart.size() - kEnd.size())});
    return;
  }
  std::string text;
  for (std::string_view rest = token.raw; !rest.empty();) {
    const std::size_t size = rest[0] == '&' ? reference_size(rest) : 0;
    if (size == 0) {
      const std::size_t plain = std::min(rest.find('&', 1), rest.size());
      text += rest.substr(0, plain);
      rest.remove_prefix(plain);
      continue;
    }
    if (const auto decoded = decode_reference(rest.substr(1, size - 2))) {
      text += *decoded;
    } else {
      items.push_back({.text = std::exchange(text, {})});
      items.push_back({.kind = InlineItem::Kind::single, .text = std::string(rest.substr(0, size))});
    }
    rest.remove_prefix(size);
  }
  items.push_back({.text = std::move(text)});
}

std::size_t skip_element(std::span<const XmlToken> tokens, std::size_t at) {
  std::size_t depth = 0;
  do {
    depth += tokens[at].kind == XmlToken::Kind::start;
    depth -= tokens[at].kind == XmlToken::Kind::end;
    ++at;
  } while (depth > 0 && at < tokens.size());
  return at;
}

std::string join_tokens(std::span<const XmlToken> tokens) {
  std::string text;
  for (const XmlToken& token : tokens) text += token.raw;
  return text;
}

}  // namespace heed::document
