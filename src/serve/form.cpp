#include "serve/form.h"

#include <algorithm>

#include "base/error.h"

namespace heed::serve {
namespace {

constexpr std::size_t kLongestPartHeader = 4096, kLongestBoundary = 70;  // RFC 2046 limits the boundary

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = lower(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

void add_field(FormFields& fields, FormField field) {
  check<UsageError>(fields.size() < kMostFields, "the form has more than {} fields", kMostFields);
  fields.push_back(std::move(field));
}

// Removes everything up to and including `end` from the text, and returns what preceded `end`.
std::string_view take_until(std::string_view& text, std::string_view end, std::string_view what) {
  const std::size_t at = text.find(end);
  check<UsageError>(at != std::string_view::npos, "the multipart body is damaged: {} has no end", what);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

// A field with the name and the file name from the header of a part, without its value.
FormField part_field(std::string_view header) {
  while (!header.empty()) {
    const std::size_t end = header.find("\r\n");
    const std::string_view line = header.substr(0, end);
    header = end == std::string_view::npos ? std::string_view() : header.substr(end + 2);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && equal_ignoring_case(trimmed(line.substr(0, colon)), "content-disposition"))
      return {.name = header_parameter(line.substr(colon + 1), "name"),
              .value = {},
              .file_name = header_parameter(line.substr(colon + 1), "filename")};
  }
  return {};
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

void parse_urlencoded(std::string_view text, FormFields& fields) {
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    if (field.empty()) continue;
    const std::size_t equals = std::min(field.find('='), field.size());
    add_field(fields, {percent_decoded(field.substr(0, equals)),
                       percent_decoded(field.substr(std::min(equals + 1, field.size())))});
  }
}

void parse_multipart(std::string_view body, std::string_view boundary, FormFields& fields) {
  check<UsageError>(!boundary.empty() && boundary.size() <= kLongestBoundary,
                    "the content type of the multipart body has no boundary of 1 to {} characters", kLongestBoundary);
  const std::string first = fmt::format("--{}", boundary), next = "\r\n" + first;
  if (body.starts_with(first))
    body.remove_prefix(first.size());
  else
    take_until(body, next, "what precedes the first part");
  for (;;) {
    if (body.starts_with("--")) return;
    const std::string_view rest_of_line = take_until(body, "\r\n", "a line with the boundary");
    check<UsageError>(trimmed(rest_of_line).empty(), "the multipart body is damaged: text follows the boundary");
    std::string_view header;
    if (body.starts_with("\r\n"))
      body.remove_prefix(2);
    else
      header = take_until(body, "\r\n\r\n", "the header of a part");
    check<UsageError>(header.size() <= kLongestPartHeader, "the header of a part has more than {} bytes",
                      kLongestPartHeader);
    const std::string_view content = take_until(body, next, "a part");
    FormField field = part_field(header);
    if (field.name.empty()) continue;
    field.value = content;
    add_field(fields, std::move(field));
  }
}

std::string media_type(std::string_view content_type) {
  std::string type(trimmed(content_type.substr(0, content_type.find(';'))));
  std::ranges::transform(type, type.begin(), lower);
  return type;
}

std::string header_parameter(std::string_view value, std::string_view name) {
  std::size_t at = value.find(';');
  while (at < value.size()) {
    const std::size_t equals = value.find_first_of("=;", ++at);
    if (equals == std::string_view::npos) return "";
    const bool wanted = value[equals] == '=' && equal_ignoring_case(trimmed(value.substr(at, equals - at)), name);
    at = equals;
    if (value[equals] == ';') continue;
    std::string text;
    at = std::min(value.find_first_not_of(" \t", equals + 1), value.size());
    if (at < value.size() && value[at] == '"') {
      for (++at; at < value.size() && value[at] != '"'; ++at) {
        if (value[at] == '\\' && at + 1 < value.size()) ++at;
        text += value[at];
      }
      at = std::min(value.find(';', at), value.size());
    } else {
      const std::size_t end = std::min(value.find(';', at), value.size());
      text = trimmed(value.substr(at, end - at));
      at = end;
    }
    if (wanted) return text;
  }
  return "";
}

}  // namespace heed::serve
