// Decompression and encodings: any bytes are lines of text, the same however they are read, or one InputError. The
// first byte chooses the encoding.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "base/byte_source.h"
#include "base/error.h"
#include "base/files.h"
#include "memory_file.h"

namespace {

// Line by line, or the bytes in chunks, split at line ends.
std::vector<std::string> read(const std::string& path, heed::Encoding encoding, bool by_lines) try {
  std::vector<std::string> lines;
  if (by_lines) {
    heed::LineReader reader(path, encoding);
    for (std::string line; reader.next(line);) lines.push_back(line);
    return lines;
  }
  heed::ByteSource source(path, encoding);
  source.sample();
  std::string text;
  for (std::string_view chunk; !(chunk = source.peek()).empty(); source.skip(chunk.size())) text += chunk;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (end < text.size() && line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    at = end + 1;
  }
  return lines;
} catch (const heed::InputError& error) {
  return {error.what()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file({reinterpret_cast<const char*>(data) + 1, size - 1});
  const auto encoding = static_cast<heed::Encoding>(data[0] % 7);
  if (read(file.path(), encoding, true) != read(file.path(), encoding, false)) std::abort();
  return 0;
}
