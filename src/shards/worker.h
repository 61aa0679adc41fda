// A worker of a shard directory: splits the input if no other worker has, then takes chunks and writes their results,
// until nothing is left to do. Any number of workers may come, go, and be killed at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "shards/shard_directory.h"

namespace heed::shards {

// The chunks of one of `count` groups of workers: every count-th chunk, beginning with chunk number - 1. `number`
// counts from 1.
struct Share {
  std::int64_t number = 1, count = 1;
};

// Lines of the input. The lines of several inputs alternate: line 1 of each, line 2 of each, and so on.
struct Lines {
  std::int64_t first = 0;  // index of the first line in the input, from 0
  std::vector<std::string> lines;
};

// For showing progress.
struct Status {
  std::int64_t chunks_done = 0;  // by all workers
  ShardDirectory::Split split;   // all 0 while the input is being split
  bool splitting = false;        // by this worker
  bool waiting = false;          // for other workers
};

struct Work {
  std::int64_t inputs = 1;  // number of inputs
  // Opens the inputs: returns a function that reads the next line of each in turn and returns false at the end. Called
  // only if this worker splits the input.
  std::function<std::function<bool(std::string& line)>()> open;
  // Returns the result for the lines, the same number of lines (one or more) for each; none if it was stopped.
  std::function<std::optional<std::string>(const Lines& lines)> process;
  std::function<bool()> stopped;  // called often
  std::function<void(const Status&)> on_status = {};
  double lease_seconds = 60;
  Share share = {};  // take only chunks of this share
};

enum class Outcome {
  stopped,        // by `stopped`
  share_is_done,  // but other chunks are not done
  all_done,
};
// InputError if the directory or a chunk cannot be used.
Outcome run_worker(const ShardDirectory& directory, const Work& work);

// Writes the results of all chunks, in order. InputError that names missing or damaged chunks; then nothing is written.
void gather(const ShardDirectory& directory, const std::function<void(std::string_view text)>& write);

}  // namespace heed::shards
