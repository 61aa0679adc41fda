// A document format on any bytes: a document or one error. If nothing is translated, nothing changes, and a second time
// gives the same bytes; translations, even bad ones, never crash.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "document/format.h"
#include "memory_file.h"

inline std::string fuzz_translate(const char* format, std::string_view text, bool& good,
                                  const heed::document::TranslateSegments& translate) {
  const MemoryFile file(text);
  std::string out;
  try {
    heed::ByteSource input(file.path(), heed::Encoding::utf8);
    const heed::document::DocumentOptions options{"en", "de", {"1", "2"}};
    heed::document::find_document_format(format)->translate(
        input, [&](std::string_view part) { out += part; }, options, translate);
    good = true;
  } catch (const heed::InputError&) {
    good = false;
  } catch (const heed::UsageError&) {
    good = false;
  }
  return out;
}

// `exact`: what is not translated is the input itself.
inline int fuzz_document(const char* format, std::string_view text, bool exact) {
  using Segments = std::span<const heed::text::MarkedText>;
  const auto require = [](bool holds) {
    if (!holds) std::abort();
  };
  bool good = false, again = false;
  const std::string same = fuzz_translate(format, text, good, [&](Segments segments) {
    for (const heed::text::MarkedText& segment : segments)
      require(heed::is_valid_utf8(segment.text) && segment.text.find('\n') == std::string::npos);
    return std::vector(segments.begin(), segments.end());
  });
  const bool compressed = text.starts_with("\x1F\x8B") || text.starts_with("\x28\xB5") || text.starts_with("\xFD\x37");
  if (good && exact && !compressed) require(same == text);
  if (good && !compressed) {
    const std::string second = fuzz_translate(
        format, same, again, [&](Segments segments) { return std::vector(segments.begin(), segments.end()); });
    require(again && second == same);
  }
  const std::string other = fuzz_translate(format, text, again, [&](Segments segments) {
    std::vector<heed::text::MarkedText> out;
    for (const heed::text::MarkedText& segment : segments) {
      // Text with what needs quotes and escapes; the marks at its start, or lost.
      out.push_back(
          {"<&\"'\\,; %d " + std::string(segment.text.size() % 7, 'x') + " \xE6\x97\xA5\xE6\x97\xA5", segment.marks});
      for (heed::text::Mark& mark : out.back().marks) mark.span = {3, 3}, mark.parent = -1;
      if (segment.text.size() % 3 == 0) out.back().marks.clear();
    }
    return out;
  });
  require(again == good);
  // What heed writes, it can read.
  if (good)
    fuzz_translate(format, other, again,
                   [&](Segments segments) { return std::vector(segments.begin(), segments.end()); }),
        require(again);
  return 0;
}
