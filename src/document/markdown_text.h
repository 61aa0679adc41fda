// The text between the markup of Markdown: escapes and entities. Thread-safe.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace heed::document {

inline bool is_md_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
inline bool is_md_punctuation(char c) {
  return std::ispunct(static_cast<unsigned char>(c)) != 0;
}
inline bool is_md_alnum(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// The length of the entity at the start of a text, 0 if there is none; and its character, 0 if the name is not one that
// we decode.
std::pair<std::size_t, char32_t> parse_markdown_entity(std::string_view text);

// Decodes the escapes and entities in text between markup.
std::string decode_markdown(std::string_view text);
// Escapes text so that none of it is markup; `quote` is '|' in a table cell.
std::string escape_markdown(std::string_view text, char quote);

}  // namespace heed::document
