// gather() of worker.h.
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "shards/chunk_file.h"
#include "shards/worker.h"

namespace heed::shards {
namespace {

// "chunks 00000003, 00000007 and 12 more", for a message; the numbers are those of the files.
std::string list_chunks(const std::vector<std::int64_t>& chunks) {
  constexpr std::size_t kMost = 5;
  const std::size_t shown = std::min(chunks.size(), kMost);
  return fmt::format("chunk{} {:08}{}", chunks.size() == 1 ? "" : "s",
                     fmt::join(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     chunks.size() > shown ? fmt::format(" and {} more", chunks.size() - shown) : "");
}

Chunk read_output(const ShardDirectory& directory, std::int64_t number, std::int64_t first_line) {
  const std::string path = directory.output_path(number);
  Chunk chunk = read_chunk(path);
  const ChunkRecord& r = chunk.record;
  const std::int64_t made = std::ranges::count(chunk.text, '\n');
  check<InputError>(r.job == directory.job() && r.chunk == number && r.first_line == first_line,
                    "'{}' belongs to another job or chunk", path);
  check<InputError>(r.lines > 0 && made > 0 && made % r.lines == 0, "'{}' has {} lines for {} lines of the input", path,
                    made, r.lines);
  return chunk;
}

// InputError unless all chunks are done and undamaged, and together cover all lines of the input.
void check_outputs(const ShardDirectory& directory, const ShardDirectory::Split& split) {
  std::vector<std::int64_t> missing;
  for (std::int64_t i = 0; i < split.chunks; ++i)
    if (!directory.is_done(i)) missing.push_back(i);
  check<InputError>(missing.empty(),
                    "{} of {} in {} {} not done ({}); run the same command with --shard-dir again to finish {}, then "
                    "gather",
                    missing.size(), counted(split.chunks, "chunk"), in_quotes(directory.path()),
                    missing.size() == 1 ? "is" : "are", list_chunks(missing), missing.size() == 1 ? "it" : "them");
  std::int64_t lines = 0;
  for (std::int64_t i = 0; i < split.chunks; ++i) {
    try {
      lines += read_output(directory, i, lines).record.lines;
    } catch (const InputError& error) {
      throw InputError(
          "chunk {:08} cannot be used: {}; remove the file, run the same command with --shard-dir again, then gather",
          i, error.what());
    }
  }
  check<InputError>(lines == split.lines,
                    "the chunks of {} have {} lines, but its input has {}; choose a new directory",
                    in_quotes(directory.path()), lines, split.lines);
}

}  // namespace

void gather(const ShardDirectory& directory, const std::function<void(std::string_view text)>& write) {
  const std::optional<ShardDirectory::Split> split = directory.split();
  check<InputError>(split.has_value(),
                    "the input of {} is not split yet; run the same command with --shard-dir again, then gather",
                    in_quotes(directory.path()));
  check_outputs(directory, *split);
  std::int64_t lines = 0;
  for (std::int64_t i = 0; i < split->chunks; ++i) {
    const Chunk chunk = read_output(directory, i, lines);
    lines += chunk.record.lines;
    write(chunk.text);
  }
}

}  // namespace heed::shards
