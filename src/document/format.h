// Documents: files whose text is translated while everything else stays as it is. Each format is a function in a file
// of this directory and a row in the table of formats.cpp. Thread-safe.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "text/marked_text.h"

namespace heed::document {

// Translates segments, such as paragraphs or titles: returns one result per segment, in the same order.
using TranslateSegments = std::function<std::vector<text::MarkedText>(std::span<const text::MarkedText>)>;
using Write = std::function<void(std::string_view)>;

struct DocumentOptions {
  std::string source_language, target_language;  // language tags; empty: not known
  std::vector<std::string> columns = {};         // tables: the columns to translate, by name or number
  std::vector<std::string> ignored = {};         // XML: more elements whose text stays as it is
};

struct DocumentFormat {
  std::string_view name;                      // as --format takes it
  std::span<const std::string_view> endings;  // of file names, in lower case
  // Reads the whole input and writes the translated document. InputError with file and line if it is damaged.
  void (*translate)(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
};

std::span<const DocumentFormat> document_formats();
// Finds a format by its name; null if there is none.
const DocumentFormat* find_document_format(std::string_view name);
// Finds a format by the ending of a file name; null if there is none.
const DocumentFormat* detect_document_format(std::string_view path);

}  // namespace heed::document
