// heed translate with a document (document/format.h): HTML, XML, Markdown and others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "document/format.h"
#include "translate/text_layer.h"

namespace heed::cli {

// Declares --format.
void declare_document_format(Options& o, std::string& format);

// The format of what is translated: the one that --format names or, if `path` is a file, that of its ending; null for
// text. `path` may be null.
const document::DocumentFormat* choose_document_format(const std::string& format, const std::string* path);

struct DocumentJob {
  const document::DocumentFormat& format;
  std::string path;  // "-": standard input
  Encoding encoding = Encoding::detect;
  document::DocumentOptions document = {};
  translate::TranslateOptions translate = {};
  bool shows_progress = false;
};

// Translates a document; false if the user interrupted it, in which case what was written is not complete. Prints notes
// about the document.
bool translate_document(translate::TextLayer& layer, const DocumentJob& job, const document::Write& write);

}  // namespace heed::cli
