#include "document/markdown_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "text/unicode.h"

namespace heed::document {

std::pair<std::size_t, char32_t> parse_markdown_entity(std::string_view text) {
  constexpr std::size_t kLongest = 33;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (end == text.npos || end < 2) return {0, 0};
  std::string_view name = text.substr(1, end - 1);
  if (name[0] == '#') {
    const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    name.remove_prefix(hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
    if (name.empty() || error != std::errc() || stop != name.data() + name.size() || code > 0x10FFFF) return {0, 0};
    return {end + 1, code == 0 || (code >= 0xD800 && code < 0xE000) ? char32_t{0xFFFD} : char32_t{code}};
  }
  if (!std::ranges::all_of(name, is_md_alnum)) return {0, 0};
  constexpr std::pair<std::string_view, char32_t> kKnown[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [known, character] : kKnown)
    if (name == known) return {end + 1, character};
  return {end + 1, 0};
}

std::string decode_markdown(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\\' && i + 1 < text.size() && is_md_punctuation(text[i + 1])) {
      out += text[i + 1];
      i += 2;
    } else if (const auto [size, character] = parse_markdown_entity(text.substr(i));
               text[i] == '&' && size > 0 && character > 0) {
      text::append_utf8(out, character);
      i += size;
    } else {
      out += text[i++];
    }
  }
  return out;
}

std::string escape_markdown(std::string_view text, char quote) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : '\0'; };
  std::string out;
  std::size_t digits = 0;  // at the start
  while (digits < 9 && std::isdigit(static_cast<unsigned char>(at(digits))) != 0) ++digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], next = at(i + 1), before = i > 0 ? text[i - 1] : '\0';
    bool escape = false;
    if (c == '`') {
      out += "&#96;";  // a backslash would not help after another backtick
      continue;
    }
    if (c == '[' || c == ']' || (c == '|' && quote == '|')) escape = true;
    if (c == '\\') escape = next == '\0' || is_md_punctuation(next);
    // An amount such as $5 cannot end a formula.
    const bool is_apart = i == 0 || is_md_space(before);
    const bool is_amount = next == '\0' || is_md_space(next) || std::isdigit(static_cast<unsigned char>(next)) != 0;
    if (c == '$') escape = !(is_apart && is_amount);
    if (c == '*') escape = !(is_md_space(before) && is_md_space(next));
    if (c == '~') escape = before == '~' || next == '~';
    if (c == '_') escape = !(is_md_space(before) && is_md_space(next)) && !(is_md_alnum(before) && is_md_alnum(next));
    if (c == '<') escape = next == '/' || next == '!' || next == '?' || is_md_alnum(next) || next == '\0';
    if (c == '&') escape = parse_markdown_entity(text.substr(i)).first > 0;
    if (i == 0 && (c == '#' || c == '=' || c == '+' || c == '-' || c == ':')) escape = next == c || is_md_space(next);
    if (i == 0 && (c == '!' || c == '?')) escape = next == c;
    if (i == 0 && c == '{') escape = next == ':';
    if (i == 0 && c == '>') escape = true;
    if (i == digits && digits > 0 && (c == '.' || c == ')') && (next == '\0' || is_md_space(next))) escape = true;
    if (escape) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace heed::document
