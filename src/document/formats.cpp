#include <algorithm>
#include <cctype>

#include "document/format.h"

namespace heed::document {

std::span<const DocumentFormat> document_formats() {
  return {};  // one row per format: its name, the endings of its files, its function
}

const DocumentFormat* find_document_format(std::string_view name) {
  const auto found = std::ranges::find(document_formats(), name, &DocumentFormat::name);
  return found == document_formats().end() ? nullptr : &*found;
}

const DocumentFormat* detect_document_format(std::string_view path) {
  std::string lower(path);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const DocumentFormat& format : document_formats())
    for (const std::string_view ending : format.endings)
      if (lower.ends_with(ending)) return &format;
  return nullptr;
}

}  // namespace heed::document
