// The files of a shard directory that hold text: the lines of a chunk, or the result for them. Such a file is a zstd
// file (`zstdcat` prints its text) that begins with a skippable frame, which holds a JSON object: see ChunkRecord.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heed::shards {

struct ChunkRecord {
  std::string job;              // the digest of the directory's job: see ShardDirectory
  std::int64_t chunk = 0;       // index of the chunk, from 0
  std::int64_t first_line = 0;  // index of its first line in the input, from 0
  std::int64_t lines = 0;       // number of lines of the input

  bool operator==(const ChunkRecord&) const = default;
};

struct Chunk {
  ChunkRecord record;
  std::string text;  // whole lines
};

// Writes a file atomically, with the number of lines and the digest of its text in the record. InputError on failure.
void write_chunk(const std::string& path, const Chunk& chunk);
// InputError if the file cannot be read or is not exactly what write_chunk() wrote.
Chunk read_chunk(const std::string& path);

}  // namespace heed::shards
