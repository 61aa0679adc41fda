#include "document/po_text.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "text/languages.h"

namespace heed::document {

namespace {

constexpr std::string_view kPoNames = "ntrabfv\"\\", kPoMeanings = "\n\t\r\a\b\f\v\"\\";
constexpr std::size_t kPoWidth = 79;

bool is_digit_of(char c, int base) {
  const auto byte = static_cast<unsigned char>(c);
  return base == 16 ? std::isxdigit(byte) != 0 : c >= '0' && c <= '7';
}

// Decodes the escape at `at`, after its backslash, and moves `at` past it.
bool decode_po_escape(std::string_view raw, std::size_t& at, std::string& text) {
  if (at >= raw.size()) return false;
  if (const std::size_t known = kPoNames.find(raw[at]); known != kPoNames.npos) {
    text += kPoMeanings[known];
    ++at;
    return true;
  }
  const int base = raw[at] == 'x' ? 16 : 8;
  if (base == 16) ++at;
  std::size_t end = at;
  while (end < raw.size() && end < at + (base == 16 ? 2 : 3) && is_digit_of(raw[end], base)) ++end;
  if (end == at) return false;
  const int value = std::stoi(std::string(raw.substr(at, end - at)), nullptr, base);
  text += static_cast<char>(value & 0xFF);
  at = end;
  return value < 256;
}

std::string escape_po(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::size_t known = kPoMeanings.find(c);
    if (c != '\0' && known != kPoMeanings.npos)
      (out += '\\') += kPoNames[known];
    else if (static_cast<unsigned char>(c) < 0x20)
      out +=
          {'\\', static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8), static_cast<char>('0' + c % 8)};
    else
      out += c;
  }
  return out;
}

// Writes a line of escaped text as quoted parts of at most kPoWidth columns, split after spaces.
void wrap_po_line(std::string_view line, std::string_view line_end, std::string& out) {
  const auto write = [&](std::string_view part) {
    ((out += '"') += part) += '"';
    out += line_end;
  };
  std::size_t start = 0, width = 2;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size() - 1) + 1;
    const std::size_t size = utf8_length(line.substr(at, end - at));
    if (width + size > kPoWidth && at > start) {
      write(line.substr(start, at - start));
      start = at;
      width = 2;
    }
    width += size;
    at = end;
  }
  write(line.substr(start));
}

struct Placeholders {
  std::vector<std::string> in_order, named;
};

// The end of the placeholder that starts with the percent sign at `at`; `at` if it is not a placeholder.
std::size_t end_of_percent(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  if (end < text.size() && text[end] == '(') end = std::min(text.find(')', end), text.size() - 1) + 1;
  const std::size_t digits = end;
  if (end < text.size() && text[end] == ' ') ++end;  // a flag of C
  end = std::min(text.find_first_not_of("0123456789$#+-'*.hlLqjzt", end), text.size());
  if (end < text.size() && std::string_view("diouxXeEfFgGaAcsrpnS@%").find(text[end]) != std::string_view::npos)
    return end + 1;
  // %1 of Qt
  end = std::min(text.find_first_not_of("0123456789", digits), text.size());
  return end > digits ? end : at;
}

Placeholders find_placeholders(std::string_view text) {
  Placeholders found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    if (text[at] == '%') end = end_of_percent(text, at);
    if (text[at] == '{' && text.find('}', at) != text.npos && text.find('}', at) < at + 100)
      end = text.find('}', at) + 1;
    if (end == at && text[at] != '%') continue;
    end = std::max(end, at + 1);  // a percent sign on its own may be an error in a format string
    const std::string placeholder(text.substr(at, end - at));
    const bool named = text[at] == '{' ? placeholder != "{}"
                                       : placeholder == "%%" || placeholder.find('$') != placeholder.npos ||
                                             placeholder.find('(') != placeholder.npos ||
                                             std::isdigit(static_cast<unsigned char>(placeholder.back())) != 0;
    (named ? found.named : found.in_order).push_back(placeholder);
    at = end - 1;
  }
  std::ranges::sort(found.named);
  return found;
}

struct PluralForms {
  std::string_view languages, forms;
};
// The rules of the gettext manual.
constexpr PluralForms kPluralForms[] = {
    {" ja ko zh vi th id ms lo my ", "nplurals=1; plural=0;"},
    {" en de nl sv da no nb nn fi et el es it pt he hu bg ca eu gl tr eo fo hi bn ur fa ",
     "nplurals=2; plural=(n != 1);"},
    {" fr pt_br oc ", "nplurals=2; plural=(n > 1);"},
    {" ru uk be sr hr bs ",
     "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
    {" cs sk ", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"},
    {" pl ", "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
    {" lt ", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);"},
    {" lv ", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"},
    {" ro ", "nplurals=3; plural=n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2;"},
    {" sl ", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
    {" ar ", "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;"},
};

}  // namespace

bool decode_po_string(std::string_view raw, std::string& text) {
  if (!raw.starts_with('"')) return false;
  std::size_t at = 1;
  while (at < raw.size() && raw[at] != '"' && raw[at] != '\n') {
    if (raw[at] != '\\')
      text += raw[at++];
    else if (!decode_po_escape(raw, ++at, text))
      return false;
  }
  return at < raw.size() && raw[at] == '"' && raw.find_first_not_of(" \t\r\n", at + 1) == raw.npos;
}

std::string encode_po_field(std::string_view keyword, std::string_view text, bool wrapped, std::string_view line_end) {
  const std::size_t first_line = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string escaped = escape_po(text);
  std::string out = std::string(keyword) + ' ';
  if (text.empty() || (first_line == text.size() && !(wrapped && utf8_length(escaped) + keyword.size() + 3 > kPoWidth)))
    return ((out += '"') += escaped) + '"' + std::string(line_end);
  (out += "\"\"") += line_end;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
    wrap_po_line(escape_po(text.substr(at, end - at)), line_end, out);
  }
  return out;
}

bool has_same_placeholders(std::string_view source, std::string_view translation) {
  const Placeholders a = find_placeholders(source), b = find_placeholders(translation);
  return a.in_order == b.in_order && a.named == b.named;
}

std::string_view plural_forms(std::string_view language) {
  std::string tag(language);
  std::ranges::transform(tag, tag.begin(),
                         [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::tolower(c)); });
  for (const std::string& name : {tag, text::primary_language(language)})
    for (const PluralForms& row : kPluralForms)
      if (!name.empty() && row.languages.find(" " + name + " ") != row.languages.npos) return row.forms;
  return {};
}

}  // namespace heed::document
