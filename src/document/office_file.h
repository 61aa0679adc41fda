// What docx and odt files have in common: a zip archive of XML files, some of which have text.
#pragma once

#include <functional>
#include <string_view>

#include "document/format.h"
#include "document/office_paragraph.h"

namespace heed::document {

struct OfficeFormat {
  std::string_view kind;                    // for error messages: "docx"
  std::string_view main;                    // the file that must exist
  bool (*has_text)(std::string_view name);  // whether a file in the archive is translated
  bool (*is_skipped)(const XmlToken& tag);  // elements whose paragraphs stay as they are
  // The paragraph that starts at the first of the tokens; null if none does.
  std::shared_ptr<const OfficeParagraph> (*parse)(std::span<const XmlToken> tokens);
};

// InputError if the file is damaged, protected by a password or too large.
void translate_office(ByteSource& input, const Write& write, const OfficeFormat& format,
                      const TranslateSegments& translate);

}  // namespace heed::document
