#include "document/document_reader.h"

#include <algorithm>

#include "base/error.h"

namespace heed::document {

DocumentReader::DocumentReader(ByteSource& input) : input_(&input), name_(input.name()) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (input.waiting().starts_with(kMark)) mark_ = kMark;
}

DocumentReader::DocumentReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

void DocumentReader::skip(std::size_t size) {
  if (input_ == nullptr)
    text_.remove_prefix(size);
  else
    input_->skip(size);
}

void DocumentReader::take(std::string& part) {
  const char c = peek();
  if (part.size() >= kMaxPart) fail("a string, tag or unit of more than 16 MiB; is its end missing?");
  part += c;
  line_ += c == '\n';
  skip(1);
}

bool DocumentReader::next_line(std::string& line) {
  line.clear();
  while (!at_end() && !line.ends_with('\n')) {
    const std::string_view chunk = view();
    const std::size_t size = std::min(chunk.find('\n'), chunk.size() - 1) + 1;
    if (line.size() + size > kMaxPart) fail("a line of more than 16 MiB; is this a document of this format?");
    line += chunk.substr(0, size);
    skip(size);
  }
  line_ += line.ends_with('\n');
  return !line.empty();
}

void DocumentReader::fail(std::string_view what) const {
  throw InputError("{}:{}: {}", name_, line_, what);
}

bool use_declared_encoding(ByteSource& input, std::string_view text, std::string_view key, std::string_view ends) {
  const std::size_t at = text.find(key);
  if (at == text.npos) return false;
  const std::size_t start = at + key.size();
  const std::string name(text.substr(start, std::min(text.find_first_of(ends, start), text.size()) - start));
  const Encoding declared = encoding_by_name(name);
  check<InputError>(declared != Encoding::detect || name == "CHARSET",
                    "'{}' is in {}, which heed does not read; convert it to UTF-8", input.name(), in_quotes(name));
  if (declared == Encoding::cp1252 || declared == Encoding::latin1) input.set_encoding(declared);
  return declared != Encoding::utf8 || name.find('8') == name.npos;  // ASCII is read as UTF-8
}

}  // namespace heed::document
