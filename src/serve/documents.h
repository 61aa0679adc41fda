// Translates the documents in requests: HTML and XML sent as text, and uploaded files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/encoding.h"
#include "document/format.h"
#include "serve/language_pairs.h"
#include "serve/routes.h"

namespace heed::serve {

struct ServedDocument {
  const document::DocumentFormat& format;
  std::string_view content;
  std::string name = {};  // for error messages
  Encoding encoding = Encoding::utf8;
  std::size_t most_characters = SIZE_MAX;               // in all segments together
  std::vector<std::string> ignored = {}, columns = {};  // those of DocumentOptions
};

// Returns the translated document. `characters`, if not null, is set to the number of characters that were translated.
// ApiError if the document is damaged, compressed or too long, or a table without columns to translate; Stopped if the
// request was stopped.
std::string translate_document(const TranslationPath& path, const ServedDocument& document,
                               const translate::TranslateOptions& options, const RouteCall& call,
                               std::size_t* characters = nullptr);

// The text of a file in UTF-8. ApiError if the file is compressed.
std::string decode_text(const std::string& content, Encoding encoding);

// The file name extensions that can be translated: ".txt" and those of the document formats.
std::vector<std::string> file_endings();

}  // namespace heed::serve
