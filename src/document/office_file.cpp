#include "document/office_file.h"

#include "base/error.h"
#include "document/zip_archive.h"

namespace heed::document {

namespace {

std::string translate_part(const std::string& content, std::string name, const OfficeFormat& format,
                           const TranslateSegments& translate) {
  std::string out;
  const Write write = [&](std::string_view text) { out += text; };
  DocumentReader reader(content, std::move(name));
  XmlTokenizer tokenizer(reader);
  SegmentQueue queue(write, translate);
  for (XmlToken token; tokenizer.next(token);) {
    if (token.kind == XmlToken::Kind::doctype)
      reader.fail("a document type declaration, which office documents never have");
    if (token.kind != XmlToken::Kind::start) {
      queue.add(token.raw);
      continue;
    }
    const bool skipped = format.is_skipped(token);
    std::vector<XmlToken> tokens;
    tokens.push_back(token);
    // The start tag alone shows whether this is a paragraph.
    if (!skipped && format.parse(tokens) == nullptr) {
      queue.add(token.raw);
      continue;
    }
    tokenizer.take_element(tokens);
    std::string original = join_tokens(tokens);
    std::vector<text::MarkedText> segments;
    const auto paragraph = skipped ? nullptr : format.parse(tokens);
    if (paragraph) paragraph->add_segments(segments);
    queue.add(
        std::move(segments),
        [paragraph](std::span<const text::MarkedText> translations) { return paragraph->write(translations); },
        std::move(original));
  }
  queue.flush();
  return out;
}

}  // namespace

void translate_office(ByteSource& input, const Write& write, const OfficeFormat& format,
                      const TranslateSegments& translate) {
  const ZipArchive archive(input, format.kind);
  check<InputError>(archive.find(format.main) != nullptr, "'{}' is not in the format {}: it has no {}", input.name(),
                    format.kind, format.main);
  if (const ZipArchive::Entry* manifest = archive.find("META-INF/manifest.xml"))
    check<InputError>(archive.read(*manifest).find("encryption-data") == std::string::npos,
                      "'{}' is protected by a password; save it without one", input.name());
  archive.write(write, [&](const ZipArchive::Entry& entry, std::string& content) {
    if (!format.has_text(entry.name)) return false;
    const std::string before = archive.read(entry);
    content = translate_part(before, input.name() + ": " + entry.name, format, translate);
    return content != before;
  });
}

}  // namespace heed::document
