#include "serve/documents.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/byte_source.h"
#include "base/system.h"
#include "base/utf8.h"
#include "serve/texts.h"

namespace heed::serve {
namespace {

constexpr std::size_t kBlock = 64 << 10;  // bytes translated at a time

// An unnamed file in memory, because document readers read from files.
Descriptor memory_file(std::string_view text) {
  Descriptor file(::memfd_create("request", MFD_CLOEXEC));
  const int error = file.get() < 0 ? errno : write_all(file.get(), text);
  check<InputError>(error == 0, "cannot keep a request in memory: {}", system_message(error));
  return file;
}

// A tiny compressed file could unpack to any size.
void refuse_compressed(std::string_view content) {
  using namespace std::literals;
  for (const std::string_view start : {"\x1f\x8b"sv, "\x28\xb5\x2f\xfd"sv,
                                       "\xfd"
                                       "7zXZ"sv})
    if (content.starts_with(start)) throw ApiError(400, "Invalid request: the file is compressed; send it unpacked");
}

std::string replace_first(std::string text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != text.npos) text.replace(at, what.size(), by);
  return text;
}

class Segments {
 public:
  Segments(const TranslationPath& path, const ServedDocument& document, const translate::TranslateOptions& options,
           const RouteCall& call)
      : path_(path), document_(document), call_(call), options_(options) {
    options_.on_progress = [this](std::size_t /*done*/, std::size_t /*all*/) { return goes_on(); };
  }

  bool goes_on() const { return !call_.stop.stop_requested() && std::chrono::steady_clock::now() < call_.deadline; }
  std::size_t characters() const { return characters_; }

  std::vector<text::MarkedText> translate(std::span<const text::MarkedText> segments) {
    std::vector<text::MarkedText> results;
    while (results.size() < segments.size()) {
      const std::span<const text::MarkedText> rest = segments.subspan(results.size());
      std::size_t count = 0;
      for (std::size_t bytes = 0; count < rest.size() && bytes < kBlock; bytes += rest[count++].text.size()) {
        const std::size_t length = utf8_length(rest[count].text);
        check_text_limit(length, kLongestLine);
        check_text_limit(characters_ += length, document_.most_characters);
      }
      std::ranges::move(path_.translate(rest.first(count), options_), std::back_inserter(results));
      if (!goes_on()) throw Stopped{};
    }
    return results;
  }

 private:
  const TranslationPath& path_;
  const ServedDocument& document_;
  const RouteCall& call_;
  translate::TranslateOptions options_;
  std::size_t characters_ = 0;
};

}  // namespace

std::string translate_document(const TranslationPath& path, const ServedDocument& document,
                               const translate::TranslateOptions& options, const RouteCall& call,
                               std::size_t* characters) {
  refuse_compressed(document.content);
  Segments segments(path, document, options, call);
  if (!segments.goes_on()) throw Stopped{};
  const Descriptor file = memory_file(document.content);
  ByteSource source(descriptor_path(file.get()), document.encoding);
  std::string result;
  try {
    document.format.translate(
        source, [&](std::string_view part) { result += part; },
        {.source_language = path.source(),
         .target_language = path.target(),
         .columns = document.columns,
         .ignored = document.ignored},
        [&](std::span<const text::MarkedText> texts) { return segments.translate(texts); });
  } catch (const InputError& error) {  // says where the document is damaged
    throw ApiError(400, "Invalid request: {}", replace_first(error.what(), source.name(), document.name));
  } catch (const UsageError& error) {  // about the columns of a table, as heed translate calls them
    const std::string says = replace_first(error.what(), source.name(), document.name);
    throw ApiError(400, "Invalid request: {}",
                   replace_first(replace_first(says, "--columns ", "columns="), "--columns:", "columns:"));
  }
  if (characters != nullptr) *characters = segments.characters();
  return result;
}

std::string decode_text(const std::string& content, Encoding encoding) {
  refuse_compressed(content);
  const Descriptor file = memory_file(content);
  ByteSource source(descriptor_path(file.get()), encoding);
  std::string text;
  for (std::string_view part; !(part = source.peek()).empty(); source.skip(part.size())) text += part;
  return replace_bad_utf8(text);
}

std::vector<std::string> file_endings() {
  std::vector<std::string> endings = {".txt"};
  for (const document::DocumentFormat& format : document::document_formats())
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
  return endings;
}

}  // namespace heed::serve
