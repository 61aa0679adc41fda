#include <cstring>

#include "base/byte_source.h"
#include "base/error.h"
#include "base/files.h"

namespace heed::inline base {

LineReader::LineReader(const std::string& path, Encoding encoding)
    : LineReader(std::make_unique<ByteSource>(path, encoding)) {}
LineReader::LineReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
LineReader::~LineReader() = default;

const std::string& LineReader::name() const {
  return source_->name();
}

const std::string& LineReader::note() const {
  return source_->note();
}

Encoding LineReader::encoding() const {
  return source_->encoding();
}

bool LineReader::has_line() const {
  return source_->waiting().find('\n') != std::string_view::npos;
}

bool LineReader::next(std::string& line) {
  line.clear();
  if (source_->peek().empty()) return false;
  ++line_number_;
  for (std::string_view chunk; !(chunk = source_->peek()).empty();) {
    const void* found = std::memchr(chunk.data(), '\n', chunk.size());
    const std::size_t size = found ? static_cast<const char*>(found) - chunk.data() : chunk.size();
    if (line.size() + size > kMaxLine)
      throw InputError("{}:{}: a line of more than {} MiB; give a text file with one sentence per line", name(),
                       line_number_, kMaxLine >> 20);
    line.append(chunk.substr(0, size));
    source_->skip(found ? size + 1 : size);
    if (!found) continue;
    if (line.ends_with('\r')) line.pop_back();
    break;
  }
  return true;
}

}  // namespace heed::base
