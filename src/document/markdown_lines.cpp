#include "document/markdown_lines.h"

#include <algorithm>
#include <cctype>

namespace heed::document {

bool is_line_space(char c) {
  return c == ' ' || c == '\t';
}

bool is_blank_line(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

std::size_t definition_length(std::string_view line) {
  if (!line.starts_with('[')) return 0;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == ']') {
      return i > 1 && i + 1 < line.size() && line[i + 1] == ':' ? i + 2 : 0;
    } else if (line[i] == '[') {
      return 0;
    }
  }
  return 0;
}

bool is_rule(std::string_view line, std::string_view characters) {
  std::size_t count = 0;
  char first = 0;
  for (const char c : line) {
    if (is_line_space(c) || c == '\r') continue;
    if (characters.find(c) == characters.npos || (first != 0 && c != first)) return false;
    first = c;
    ++count;
  }
  return count >= 3;
}

bool is_underline(std::string_view line) {
  while (!line.empty() && (is_line_space(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  return !line.empty() && (line[0] == '=' || line[0] == '-') && line.find_first_not_of(line[0]) == line.npos;
}

bool is_table_rule(std::string_view line) {
  return line.find('-') != line.npos && line.find('|') != line.npos && line.find_first_not_of("|:- \t\r") == line.npos;
}

std::size_t list_marker_length(std::string_view line) {
  std::size_t i = 0;
  if (line.empty()) return 0;
  if (line[0] == '-' || line[0] == '+' || line[0] == '*' || line[0] == ':') {
    i = 1;
  } else {
    while (i < line.size() && i < 9 && std::isdigit(static_cast<unsigned char>(line[i])) != 0) ++i;
    if (i == 0 || i >= line.size() || (line[i] != '.' && line[i] != ')')) return 0;
    ++i;
  }
  if (i < line.size() && !is_line_space(line[i])) return 0;
  const std::size_t text = std::min(line.find_first_not_of(" \t", i), line.size());
  return text - i > 4 || text == line.size() ? std::min(i + 1, line.size()) : text;
}

bool interrupts_paragraph(std::string_view line) {
  const std::size_t length = definition_length(line);
  if (length == 0) return false;
  if (line.starts_with("[^")) return true;
  line.remove_prefix(std::min(line.find_first_not_of(" \t", length), line.size()));
  while (!line.empty() && (is_line_space(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  const std::size_t address = std::min(line.find_first_of(" \t"), line.size());
  const std::size_t title = std::min(line.find_first_not_of(" \t", address), line.size());
  const bool has_title = title < line.size() && (line[title] == '"' || line[title] == '\'' || line[title] == '(');
  return address > 0 && (title == line.size() || has_title);
}

bool is_admonition(std::string_view line) {
  return (line.starts_with("!!! ") || line.starts_with("??? ") || line.starts_with("???+ ")) && line.size() > 5;
}

bool is_directive(std::string_view line) {
  if (line.starts_with(":::") || is_admonition(line)) return true;
  while (!line.empty() && (is_line_space(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  return line.starts_with("{:") && line.find('}') == line.size() - 1;
}

}  // namespace heed::document
