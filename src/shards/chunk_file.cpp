#include "shards/chunk_file.h"

#include <algorithm>
#include <array>

#include "base/compress.h"
#include "base/decompress.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "shards/digest.h"

namespace heed::shards {
namespace {

constexpr std::string_view kChunkFormat = "heed chunk 1";
constexpr std::string_view kSkippableFrame = "\x50\x2a\x4d\x18";  // then its size in four bytes, little-endian
constexpr std::size_t kFrameHead = 8, kLargestRecord = 1 << 16;

std::string frame(std::string_view record) {
  std::string bytes(kSkippableFrame);
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(record.size() >> shift & 0xff);
  return bytes.append(record);
}

// The record at the start of a file; empty if there is none.
std::string_view framed_record(std::string_view file) {
  if (file.size() < kFrameHead || !file.starts_with(kSkippableFrame)) return {};
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(file[4 + i])} << (8 * i);
  return size <= kLargestRecord && size <= file.size() - kFrameHead ? file.substr(kFrameHead, size)
                                                                    : std::string_view();
}

std::string decompress(std::string_view packed, const std::string& path) {
  std::string text;
  const auto decompressor = make_decompressor(packed, path);
  check<InputError>(decompressor != nullptr, "'{}' is damaged: it has no zstd data after its record", path);
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const Decompressor::Step step = decompressor->run(packed, buffer, true);
    text.append(buffer.data(), step.made);
    packed.remove_prefix(step.used);
    if (step.made == 0 && step.used == 0) break;
  }
  check<InputError>(packed.empty() && decompressor->is_complete(), "'{}' is damaged: its zstd data ends too early",
                    path);
  return text;
}

std::int64_t line_count(std::string_view text) {
  return std::ranges::count(text, '\n');
}

}  // namespace

void write_chunk(const std::string& path, const Chunk& chunk) {
  const ChunkRecord& r = chunk.record;
  const Json record = {{"format", kChunkFormat},         {"job", r.job},     {"chunk", r.chunk},
                       {"first_line", r.first_line},     {"lines", r.lines}, {"text_lines", line_count(chunk.text)},
                       {"digest", digest_of(chunk.text)}};
  write_file_atomically(path, frame(dump_json(record)) + compress_zstd(chunk.text));
}

Chunk read_chunk(const std::string& path) {
  const std::string file = read_file(path);
  const std::string_view framed = framed_record(file);
  check<InputError>(!framed.empty(), "'{}' is damaged, or not a chunk: it does not begin with a record", path);
  const Json json = parse_json(framed, path);
  try {
    check<InputError>(json.at("format") == kChunkFormat, "'{}' has the format {}, not {}", path,
                      dump_json(json.at("format")), kChunkFormat);
    Chunk chunk{{.job = json.at("job"),
                 .chunk = json.at("chunk"),
                 .first_line = json.at("first_line"),
                 .lines = json.at("lines")},
                decompress(std::string_view(file).substr(kFrameHead + framed.size()), path)};
    check<InputError>(json.at("digest") == digest_of(chunk.text) && json.at("text_lines") == line_count(chunk.text),
                      "'{}' is damaged: its text does not match its record", path);
    return chunk;
  } catch (const Json::exception&) {
    throw InputError("'{}' is damaged: its record lacks a field", path);
  }
}

}  // namespace heed::shards
