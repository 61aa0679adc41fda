// Documents in memory and translators that are easy to check.
#pragma once

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "document/format.h"
#include "fuzz/memory_file.h"

namespace heed::document::fake {

using Segments = std::span<const text::MarkedText>;

inline std::vector<text::MarkedText> same(Segments segments) {
  return {segments.begin(), segments.end()};
}

// Marks stay on their characters; what they keep stays as it is.
inline std::vector<text::MarkedText> upper_case(Segments segments) {
  std::vector<text::MarkedText> out = same(segments);
  for (text::MarkedText& segment : out) {
    std::vector<std::uint32_t> bytes = text::byte_offsets(segment.text);
    std::vector<bool> kept(segment.text.size(), false);
    for (const text::Mark& mark : segment.marks)
      if (mark.keep) std::fill(kept.begin() + bytes[mark.span.from], kept.begin() + bytes[mark.span.to], true);
    for (std::size_t i = 0; i < segment.text.size(); ++i)
      if (!kept[i]) segment.text[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(segment.text[i])));
  }
  return out;
}

inline std::string in_brackets(const std::string& text) {
  return "[" + text + "]";
}
// Puts a segment between brackets, which no mark covers.
inline std::vector<text::MarkedText> bracketed(Segments segments) {
  std::vector<text::MarkedText> out = same(segments);
  for (text::MarkedText& segment : out) {
    segment.text = in_brackets(segment.text);
    for (text::Mark& mark : segment.marks) mark.span = {mark.span.from + 1, mark.span.to + 1};
  }
  return out;
}

// The words in reverse order. Marks on whole words follow them, empty ones go to the end.
inline std::vector<text::MarkedText> reversed(Segments segments) {
  std::vector<text::MarkedText> out;
  for (const text::MarkedText& segment : segments) {
    std::istringstream words(segment.text);
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.insert(all.begin(), word);
    text::MarkedText result;
    for (const std::string& word : all) result.text += (result.text.empty() ? "" : " ") + word;
    const auto size = static_cast<std::uint32_t>(text::byte_offsets(result.text).size() - 1);
    for (text::Mark mark : segment.marks) {
      const bool whole = mark.span.to > mark.span.from && mark.parent < 0;
      mark.span = whole ? text::Span{size - std::min(size, mark.span.to), size - std::min(size, mark.span.from)}
                        : text::Span{size, size};
      mark.parent = -1;
      result.marks.push_back(mark);
    }
    std::ranges::stable_sort(result.marks, {}, [](const text::Mark& mark) { return mark.span.from; });
    out.push_back(std::move(result));
  }
  return out;
}

inline std::string translate_text(std::string_view format, std::string_view text, const TranslateSegments& translate,
                                  const DocumentOptions& options = {"en", "de"}) {
  const MemoryFile file(text);
  ByteSource input(file.path());
  std::string out;
  find_document_format(format)->translate(
      input, [&](std::string_view part) { out += part; }, options, translate);
  return out;
}

inline std::string error_of(std::string_view format, std::string_view text,
                            const DocumentOptions& options = {"en", "de"}) {
  try {
    translate_text(format, text, same, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace heed::document::fake
