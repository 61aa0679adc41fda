#include "shards/worker.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/error.h"
#include "base/utf8.h"
#include "shards/chunk_file.h"
#include "shards/claims.h"

namespace heed::shards {
namespace {

constexpr const char* kSplitting = "split";  // the claim for splitting the input

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; !text.empty(); text.remove_prefix(end + 1)) {
    end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
  }
  return lines;
}

class Worker {
 public:
  Worker(const ShardDirectory& directory, const Work& work)
      : directory_(directory), work_(work), claims_(directory.claims_path(), work.lease_seconds) {}

  Outcome run() {
    while (!work_.stopped()) {
      refresh();
      if (is_finished()) return done_count_ == split_->chunks ? Outcome::all_done : Outcome::share_is_done;
      const bool worked = (!split_ && split_input()) || take_a_chunk();
      if (!worked) wait();
    }
    return Outcome::stopped;
  }

 private:
  // Reads the state of the directory.
  void refresh() {
    if (!split_) split_ = directory_.split();
    inputs_ = split_ ? std::vector<bool>() : directory_.inputs();
    done_ = directory_.outputs();
    chunks_ = split_ ? split_->chunks : static_cast<std::int64_t>(inputs_.size());
    done_.resize(static_cast<std::size_t>(chunks_));
    done_count_ = std::ranges::count(done_, true);
    claims_.refresh();
    report(false);
  }

  bool is_finished() const {
    if (!split_) return false;
    for (std::int64_t i = work_.share.number - 1; i < chunks_; i += work_.share.count)
      if (!done_[static_cast<std::size_t>(i)]) return false;
    return true;
  }

  void report(bool waiting) const {
    if (work_.on_status)
      work_.on_status({.chunks_done = done_count_,
                       .split = split_.value_or(ShardDirectory::Split{}),
                       .splitting = splitting_,
                       .waiting = waiting});
  }

  // False if another worker is splitting the input.
  bool split_input() {
    if (claims_.is_held(kSplitting)) return false;
    const auto claim = claims_.take(kSplitting);
    if (!claim || directory_.split()) return claim != nullptr;
    splitting_ = true;
    report(false);
    const auto next = work_.open();
    ShardDirectory::Split split;
    while (!work_.stopped()) {
      const Chunk chunk = next_chunk(next, split);
      if (chunk.record.lines == 0) {
        directory_.finish_split(split);
        break;
      }
      write_input(chunk);
      ++split.chunks;
      split.lines += chunk.record.lines;
    }
    splitting_ = false;
    return true;
  }

  Chunk next_chunk(const std::function<bool(std::string&)>& next, const ShardDirectory::Split& before) const {
    constexpr std::size_t kMostBytes = 4 << 20;
    Chunk chunk{{.job = directory_.job(), .chunk = before.chunks, .first_line = before.lines}, {}};
    std::int64_t& lines = chunk.record.lines;
    for (std::string line; lines < directory_.chunk_lines() && chunk.text.size() < kMostBytes; ++lines)
      for (std::int64_t i = 0; i < work_.inputs; ++i) {
        if (!next(line)) return chunk;
        chunk.text.append(line).append("\n");
      }
    return chunk;
  }

  // If another worker died while it was splitting, its chunks exist already and must be the same.
  void write_input(const Chunk& chunk) const {
    const std::string path = directory_.input_path(chunk.record.chunk);
    const bool exists = static_cast<std::size_t>(chunk.record.chunk) < inputs_.size() &&
                        inputs_[static_cast<std::size_t>(chunk.record.chunk)];
    if (!exists) return write_chunk(path, chunk);
    const Chunk before = read_input(chunk.record.chunk);
    check<InputError>(before.record == chunk.record && before.text == chunk.text,
                      "the input has changed since {} was started: lines {} to {} are not those of '{}'; choose a new "
                      "directory",
                      in_quotes(directory_.path()), chunk.record.first_line + 1,
                      chunk.record.first_line + chunk.record.lines, path);
  }

  Chunk read_input(std::int64_t number) const {
    const std::string path = directory_.input_path(number);
    try {
      Chunk chunk = read_chunk(path);
      check<InputError>(chunk.record.job == directory_.job() && chunk.record.chunk == number,
                        "'{}' belongs to another job or chunk", path);
      return chunk;
    } catch (const InputError& error) {
      directory_.check_present();
      throw InputError("{}; remove it and '{}' and start the command again, which splits the input again", error.what(),
                       directory_.split_path());
    }
  }

  // False if there is no chunk for this worker now.
  bool take_a_chunk() {
    for (std::int64_t i = work_.share.number - 1; i < chunks_; i += work_.share.count) {
      const auto at = static_cast<std::size_t>(i);
      const std::string name = std::to_string(i);
      if (done_[at] || (!split_ && !inputs_[at]) || claims_.is_held(name)) continue;
      const auto claim = claims_.take(name);
      if (!claim) continue;
      if (directory_.is_done(i)) {
        done_[at] = true;
        continue;
      }
      process(i);
      return true;
    }
    return false;
  }

  void process(std::int64_t number) const {
    Chunk chunk = read_input(number);
    const Lines lines{chunk.record.first_line, split_lines(chunk.text)};
    std::optional<std::string> result = work_.process(lines);
    if (!result || directory_.is_done(number)) return;
    const std::int64_t made = std::ranges::count(*result, '\n');
    check<InternalError>(made > 0 && made % chunk.record.lines == 0, "{} lines became {} in chunk {}",
                         chunk.record.lines, made, number);
    chunk.text = std::move(*result);
    write_chunk(directory_.output_path(number), chunk);
  }

  // Waits for other workers: briefly at first, because they may be about to finish; then longer, to spare the file
  // server.
  void wait() {
    constexpr auto kSlice = std::chrono::milliseconds(50);
    report(true);
    pause_ = done_count_ == pause_done_ ? std::min(1.5 * pause_, work_.lease_seconds / 6) : 0.1;
    pause_done_ = done_count_;
    for (const Stopwatch watch; watch.seconds() < pause_ && !work_.stopped();) std::this_thread::sleep_for(kSlice);
  }

  const ShardDirectory& directory_;
  const Work& work_;
  Claims claims_;
  std::optional<ShardDirectory::Split> split_;
  std::vector<bool> inputs_, done_;
  std::int64_t chunks_ = 0, done_count_ = 0, pause_done_ = -1;
  double pause_ = 0.1;
  bool splitting_ = false;
};

}  // namespace

Outcome run_worker(const ShardDirectory& directory, const Work& work) {
  try {
    return Worker(directory, work).run();
  } catch (const InputError&) {
    directory.check_present();
    throw;
  }
}

}  // namespace heed::shards
