#include <algorithm>
#include <cctype>

#include "document/format.h"
#include "document/translate_formats.h"

namespace heed::document {

namespace {

constexpr std::string_view kHtmlEndings[] = {".html", ".htm", ".xhtml"};
constexpr std::string_view kXmlEndings[] = {".xml"};
constexpr std::string_view kMarkdownEndings[] = {".md", ".markdown"};
constexpr std::string_view kSrtEndings[] = {".srt"};
constexpr std::string_view kVttEndings[] = {".vtt"};
constexpr std::string_view kPoEndings[] = {".po", ".pot"};
constexpr std::string_view kXliffEndings[] = {".xliff", ".xlf"};
constexpr std::string_view kTmxEndings[] = {".tmx"};
constexpr std::string_view kJsonEndings[] = {".json", ".jsonl", ".ndjson"};
constexpr std::string_view kCsvEndings[] = {".csv"};
constexpr std::string_view kTsvEndings[] = {".tsv"};
constexpr std::string_view kDocxEndings[] = {".docx", ".docm"};
constexpr std::string_view kOdtEndings[] = {".odt", ".ott"};

// One row per format: its name, the endings of its files, its function.
constexpr DocumentFormat kFormats[] = {
    {"html", kHtmlEndings, translate_html},
    {"xml", kXmlEndings, translate_xml},
    {"markdown", kMarkdownEndings, translate_markdown},
    {"srt", kSrtEndings, translate_srt},
    {"vtt", kVttEndings, translate_vtt},
    {"po", kPoEndings, translate_po},
    {"xliff", kXliffEndings, translate_xliff},
    {"tmx", kTmxEndings, translate_tmx},
    {"json", kJsonEndings, translate_json},
    {"csv", kCsvEndings, translate_csv},
    {"tsv", kTsvEndings, translate_tsv},
    {"docx", kDocxEndings, translate_docx},
    {"odt", kOdtEndings, translate_odt},
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
