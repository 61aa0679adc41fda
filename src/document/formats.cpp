#include <algorithm>
#include <cctype>

#include "document/format.h"

namespace heed::document {

// Each in its own file, NAME.cpp.
void translate_html(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
void translate_xml(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_markdown(ByteSource& input, const Write& write, const DocumentOptions& options,
                        const TranslateSegments& translate);

namespace {

constexpr std::string_view kHtmlEndings[] = {".html", ".htm", ".xhtml"};
constexpr std::string_view kXmlEndings[] = {".xml"};
constexpr std::string_view kMarkdownEndings[] = {".md", ".markdown"};

// One row per format: its name, the endings of its files, its function.
constexpr DocumentFormat kFormats[] = {
    {"html", kHtmlEndings, translate_html},
    {"xml", kXmlEndings, translate_xml},
    {"markdown", kMarkdownEndings, translate_markdown},
};

}  // namespace

std::span<const DocumentFormat> document_formats() {
  return kFormats;
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
