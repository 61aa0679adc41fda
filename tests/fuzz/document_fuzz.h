// A document format on any bytes: a translation that changes nothing keeps the bytes, one that reverses every text can
// be written and read again, or there is one error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/utf8.h"
#include "document/format.h"
#include "memory_file.h"

using heed::text::Mark;
using heed::text::MarkedText;

// The text and its marks from the last character to the first.
inline MarkedText reversed(const MarkedText& marked) {
  std::u32string text = heed::text::decode_utf8(marked.text);
  std::ranges::reverse(text);
  const auto end = static_cast<std::uint32_t>(text.size());
  std::vector<std::vector<std::size_t>> inside(marked.marks.size() + 1);
  for (std::size_t i = 0; i < marked.marks.size(); ++i)
    inside[static_cast<std::size_t>(marked.marks[i].parent + 1)].push_back(i);
  MarkedText result{.text = heed::text::encode_utf8(text)};
  std::vector<std::pair<std::size_t, int>> open;
  for (const std::size_t i : inside[0]) open.emplace_back(i, -1);
  while (!open.empty()) {
    const auto [i, parent] = open.back();
    open.pop_back();
    Mark mark = marked.marks[i];
    mark.span = {end - mark.span.to, end - mark.span.from};
    mark.parent = parent;
    result.marks.push_back(mark);
    for (const std::size_t child : inside[i + 1]) open.emplace_back(child, static_cast<int>(result.marks.size() - 1));
  }
  return result;
}

inline std::string translated_document(const char* format, const std::string& bytes, bool reverse) {
  const MemoryFile file(bytes);
  heed::ByteSource input(file.path(), heed::Encoding::utf8);
  std::string out;
  const auto translate = [&](std::span<const MarkedText> texts) {
    std::vector<MarkedText> results;
    for (const MarkedText& text : texts) {
      if (!heed::is_valid_utf8(text.text)) std::abort();
      results.push_back(reverse ? reversed(text) : text);
    }
    return results;
  };
  heed::document::find_document_format(format)->translate(
      input, [&](std::string_view part) { out += part; }, {}, translate);
  return out;
}

// `keeps`: whether a translation that changes nothing must keep every byte.
inline int fuzz_document(const char* format, const std::uint8_t* data, std::size_t size, bool keeps) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try {
    const std::string same = translated_document(format, bytes, false);
    const std::string_view text = std::string_view(bytes).substr(bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    if (keeps && same != text) std::abort();
    translated_document(format, translated_document(format, bytes, true), true);
  } catch (const heed::InputError&) {
  }
  return 0;
}
