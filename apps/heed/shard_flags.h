// The flags with which many processes share the lines of a text: --shard-dir and --shard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/encoding.h"
#include "base/options.h"
#include "shards/worker.h"

namespace heed::cli {

struct ShardFlags {
  std::string directory, share;  // "K/N" or "auto"
  std::int64_t chunk_lines = 0;
  double lease = 60;
};
// In a group of their own. `what` is shared: "translation".
void declare(Options& options, ShardFlags& flags, std::string_view what);

// After parsing: UsageError for flags that need --shard-dir. Prints a note if mpirun has started several processes that
// would all do the same.
void check_shard_flags(const ShardFlags& flags, const Options& options);

// The value of --shard; none if it is not given. "auto" is the rank of this process among those that mpirun, srun or a
// Slurm array has started. UsageError for anything else.
std::optional<shards::Share> share_of(const ShardFlags& flags);
// The lines of a share, counted from 0: `count` lines from `first`.
struct LineRange {
  std::int64_t first = 0, count = 0;
};
LineRange lines_of(const shards::Share& share, std::int64_t lines);
LineRange lines_of(const shards::Share& share, const std::string& path, Encoding encoding);

// The rank of this process among those that mpirun has started: 0 if there is only one.
std::int64_t launched_rank();

}  // namespace heed::cli
