// Translators for tests of document formats, and a document format applied to a text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "document/format.h"
#include "fuzz/memory_file.h"

namespace heed::testing {

// Whether the marks are as text/marked_text.h says.
inline void expect_valid(const text::MarkedText& marked) {
  const std::size_t length = utf8_length(marked.text);
  EXPECT_TRUE(is_valid_utf8(marked.text));
  std::vector<std::uint32_t> ends(marked.marks.size() + 1, 0);  // by parent: where the last mark inside it ends
  for (std::size_t i = 0; i < marked.marks.size(); ++i) {
    const text::Mark& mark = marked.marks[i];
    ASSERT_LT(mark.parent, static_cast<int>(i));
    ASSERT_LE(mark.span.from, mark.span.to);
    ASSERT_LE(mark.span.to, length);
    std::uint32_t& end = ends[static_cast<std::size_t>(mark.parent + 1)];
    if (mark.parent >= 0) {
      const text::Mark& parent = marked.marks[static_cast<std::size_t>(mark.parent)];
      ASSERT_LE(parent.span.from, mark.span.from);
      ASSERT_LE(mark.span.to, parent.span.to);
    }
    ASSERT_LE(end, mark.span.from) << "marks overlap";
    end = mark.span.to;
  }
}

// Every letter in upper case; everything stays where it is.
inline text::MarkedText upper_case(text::MarkedText marked) {
  for (char& c : marked.text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return marked;
}

// The text and its marks from the last character to the first, in upper case.
inline text::MarkedText backwards(const text::MarkedText& marked) {
  std::u32string text = text::decode_utf8(upper_case(marked).text);
  std::ranges::reverse(text);
  const auto end = static_cast<std::uint32_t>(text.size());
  std::vector<std::vector<std::size_t>> inside(marked.marks.size() + 1);
  for (std::size_t i = 0; i < marked.marks.size(); ++i)
    inside[static_cast<std::size_t>(marked.marks[i].parent + 1)].push_back(i);
  text::MarkedText result{.text = text::encode_utf8(text)};
  std::vector<std::pair<std::size_t, int>> open;
  for (const std::size_t i : inside[0]) open.emplace_back(i, -1);
  while (!open.empty()) {
    const auto [i, parent] = open.back();
    open.pop_back();
    text::Mark mark = marked.marks[i];
    mark.span = {end - mark.span.to, end - mark.span.from};
    mark.parent = parent;
    result.marks.push_back(mark);
    for (const std::size_t child : inside[i + 1]) open.emplace_back(child, static_cast<int>(result.marks.size() - 1));
  }
  return result;
}

using FakeTranslation = text::MarkedText (*)(const text::MarkedText&);
inline text::MarkedText same_text(const text::MarkedText& marked) {
  return marked;
}
inline text::MarkedText upper(const text::MarkedText& marked) {
  return upper_case(marked);
}

// Translates a document; `segments` receives what the translator was given.
inline std::string translate_text(const char* format, const std::string& document, FakeTranslation translation,
                                  std::vector<text::MarkedText>* segments = nullptr) {
  const MemoryFile file(document);
  ByteSource input(file.path(), Encoding::utf8);
  std::string out;
  const auto translate = [&](std::span<const text::MarkedText> texts) {
    std::vector<text::MarkedText> results;
    for (const text::MarkedText& text : texts) {
      expect_valid(text);
      results.push_back(translation(text));
      if (segments != nullptr) segments->push_back(text);
    }
    return results;
  };
  document::find_document_format(format)->translate(
      input, [&](std::string_view bytes) { out += bytes; }, {}, translate);
  return out;
}

}  // namespace heed::testing
