// Documents: files whose text is translated while everything else stays as it is. A format is a file in this folder,
// with a function that translates a document, and a row in the table of formats.cpp.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "text/marked_text.h"

namespace heed::document {

// Translates segments, such as paragraphs or titles: one result per segment, in their order.
using TranslateSegments = std::function<std::vector<text::MarkedText>(std::span<const text::MarkedText>)>;
using Write = std::function<void(std::string_view)>;

struct DocumentOptions {
  std::string source_language, target_language;  // language tags; empty: not known
  std::vector<std::string> columns = {};         // of tables: those to translate, by name or number
};

struct DocumentFormat {
  std::string_view name;                      // of --format
  std::span<const std::string_view> endings;  // of file names, in lower case
  // Reads the whole input and writes the translated document. InputError with file and line for a damaged document.
  void (*translate)(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
};

std::span<const DocumentFormat> document_formats();
// By its name; null if there is none.
const DocumentFormat* find_document_format(std::string_view name);
// By the ending of a file name; null if it is not that of a document.
const DocumentFormat* detect_document_format(std::string_view path);

}  // namespace heed::document
