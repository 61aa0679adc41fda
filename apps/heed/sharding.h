// Work on lines that many processes share: a worker of a shard directory that shows its progress.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "base/options.h"
#include "shard_flags.h"
#include "shards/worker.h"

namespace heed::cli {

// What a command does with lines.
struct ShardedCommand {
  std::string_view name;            // of the command
  std::string_view verb;            // for the progress: "translating"
  std::vector<std::string> inputs;  // files whose lines belong together
  std::vector<std::string_view> input_flags;
  Encoding encoding = Encoding::detect;
  // As shards::Work::process. Calls advance() with the number of lines of the chunk that are done.
  using Advance = std::function<void(std::int64_t lines)>;
  std::function<std::optional<std::string>(const shards::Lines& lines, const Advance& advance)> process;
  std::string output = {};  // where the last worker writes everything; empty: nowhere
  // Instead of that: what one worker does with all results at the end. A worker that joins later does it again.
  std::function<void(const shards::ShardDirectory& directory)> finish = {};
};

// Works until everything in the directory is done, or the user interrupts it. Returns the exit code.
int run_sharded(const ShardFlags& flags, const Options& options, const ShardedCommand& command);

}  // namespace heed::cli
