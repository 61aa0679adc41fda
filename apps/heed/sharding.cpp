#include "sharding.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/decompress.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/stopwatch.h"
#include "base/utf8.h"
#include "base/version.h"
#include "command.h"
#include "interrupt.h"
#include "kernels/cpu.h"
#include "output_file.h"
#include "progress.h"
#include "shards/claims.h"
#include "shards/digest.h"

namespace heed::cli {

namespace {

constexpr int kStoppedOnRequest = 75;  // EX_TEMPFAIL: the same command goes on

std::size_t size_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

// Reads the lines of several files in turn.
class InTurn {
 public:
  InTurn(std::span<const std::string> paths, Encoding encoding) {
    for (const std::string& path : paths) readers_.push_back(std::make_shared<LineReader>(path, encoding));
  }

  bool operator()(std::string& line) {
    if (ended_) return false;
    const std::size_t turn = next_++ % readers_.size();
    LineReader& reader = *readers_[turn];
    if (!reader.next(line)) {
      check<InputError>(turn == 0, "{} ends after line {}, but {} has more lines; they must have the same number",
                        reader.name(), reader.line_number(), readers_.front()->name());
      check_ends(line);
      ended_ = true;
      return false;
    }
    if (!noted_ && !reader.note().empty()) {
      noted_ = true;
      print_note("{}", reader.note());
    }
    return true;
  }

 private:
  void check_ends(std::string& line) {
    for (std::size_t i = 1; i < readers_.size(); ++i)
      check<InputError>(!readers_[i]->next(line), "{} has more lines than the {} of {}", readers_[i]->name(),
                        readers_.front()->line_number(), readers_.front()->name());
  }

  std::vector<std::shared_ptr<LineReader>> readers_;
  std::size_t next_ = 0;
  bool noted_ = false, ended_ = false;
};

std::vector<shards::Setting> settings_of(const Options& options, const ShardedCommand& command) {
  std::vector<shards::Setting> settings = {
      {"the command", std::string(command.name)},
      {"version", std::string(heed::kVersion), "use the same version of heed everywhere"},
      {"the instruction set", kernels::instruction_set_variable(),
       "translations are bit-identical only with the same instruction set: use a new directory, and set the "
       "variable HEED_CPU to the lower of the two for all processes"}};
  for (const std::string& input : command.inputs)
    settings.push_back(
        {&input == command.inputs.data() ? "input" : "second input", shards::sampled_digest_of_file(input), "", true});
  for (const Options::Setting& setting : options.settings()) {
    if (std::ranges::find(command.input_flags, setting.name) != command.input_flags.end()) continue;
    std::string digests;
    for (const std::string& file : setting.files) {
      check<UsageError>(file != "-", "{} cannot be standard input with --shard-dir, because all processes need it",
                        setting.name);
      digests += (digests.empty() ? "" : " ") + shards::digest_of_file(file);
    }
    settings.push_back({setting.name, digests.empty() ? setting.value : digests, "", !digests.empty()});
  }
  return settings;
}

// Lines per chunk: half a minute of work of this process, measured on the first lines; less for a text that would have
// few chunks, but at least a second of work. Their results must fit into memory.
std::int64_t choose_chunk_lines(const ShardedCommand& command) {
  constexpr double kMeasured = 0.1, kWork = 30, kLeastWork = 1, kChunks = 400, kResult = 32 << 20;
  constexpr std::int64_t kFewest = 20, kMost = 100'000;
  InTurn next(command.inputs, command.encoding);
  const std::size_t inputs = command.inputs.size();
  std::size_t lines = 0, bytes = 0, result = 0;
  double seconds = 0;
  for (std::size_t block = 32; seconds < kMeasured && interrupted() == 0; block *= 2) {
    shards::Lines some;
    for (std::string line; some.lines.size() < block * inputs && next(line);) {
      bytes += line.size() + 1;
      some.lines.push_back(std::move(line));
    }
    if (some.lines.empty()) break;
    const Stopwatch watch;
    result += command.process(some, [](std::int64_t) {}).value_or("").size();
    seconds += watch.seconds();
    lines += some.lines.size() / inputs;
  }
  if (lines == 0) return kFewest;
  const double per_second = static_cast<double>(lines) / std::max(seconds, 1e-6);
  std::size_t size = 0;
  for (const std::string& path : command.inputs)
    size += size_of(path) * (without_compression_suffix(path) == path ? 1 : 3);
  const double all = static_cast<double>(size) / static_cast<double>(bytes) * static_cast<double>(lines);
  const double in_memory = kResult / static_cast<double>(result + 1) * static_cast<double>(lines);
  const double chosen = std::min({kWork * per_second, std::max(all / kChunks, kLeastWork * per_second), in_memory});
  return std::clamp(static_cast<std::int64_t>(std::min(chosen, 1e9)), kFewest, kMost);
}

// The progress of all processes, as this one sees it.
class WholeProgress {
 public:
  explicit WholeProgress(std::string_view verb) : verb_(verb) {}

  void show(const shards::Status& status) {
    status_ = status;
    own_ = 0;
    draw();
  }
  void advance(std::int64_t lines) {
    own_ = lines;
    draw();
  }
  void clear() {
    if (bar_) bar_->clear();
  }

 private:
  void draw() {
    if (launched_rank() != 0) return;
    const auto [chunks, lines] = status_.split;
    if (chunks > 0 && total_ != lines) {
      bar_.emplace(verb_, lines, "lines");
      total_ = lines;
    }
    if (!bar_) return;
    const std::int64_t done = std::min(lines, lines / chunks * status_.chunks_done + own_);
    bar_->update(done, done,
                 fmt::format("{} of {}{}", status_.chunks_done, counted(chunks, "chunk"),
                             status_.waiting ? ", waiting for other processes" : ""));
  }

  std::string verb_;
  std::int64_t total_ = 0, own_ = 0;
  shards::Status status_;
  std::optional<Progress> bar_;
};

// Writes everything to the file of --output, unless another worker does or did.
void gather_last(const shards::ShardDirectory& directory, const std::string& output, double lease) {
  const std::string record = directory.path() + "/gathered.json";
  const auto is_written = [&] {
    std::error_code ignored;
    if (!std::filesystem::exists(record, ignored)) return false;
    const Json json = parse_json(read_file(record), record);
    return json.value("output", "") == output && json.value("job", "") == directory.job() &&
           std::filesystem::exists(output, ignored) && json.value("bytes", std::size_t{0}) == size_of(output);
  };
  shards::Claims claims(directory.claims_path(), lease);
  claims.refresh();
  if (is_written() || claims.is_held("gather")) return;
  const auto claim = claims.take("gather");
  if (!claim || is_written()) return;
  OutputFile file(output, false);
  shards::gather(directory, [&](std::string_view text) { file.write(text); });
  file.commit();
  const Json json = {{"output", output}, {"job", directory.job()}, {"bytes", size_of(output)}};
  write_file_atomically(record, dump_json(json) + "\n");
}

std::string finish_record(const std::string& directory) {
  return directory + "/finished.json";
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// Finishes the command, unless another process that ended at the same time is doing so or has done so.
void finish_last(const shards::ShardDirectory& directory, const ShardedCommand& command, double lease,
                 bool was_finished) {
  const std::string record = finish_record(directory.path());
  shards::Claims claims(directory.claims_path(), lease);
  claims.refresh();
  const auto claim = claims.is_held("finish") ? nullptr : claims.take("finish");
  if (!claim || (!was_finished && exists(record)))
    return print_note("everything is done; another process writes the result");
  command.finish(directory);
  write_file_atomically(record, dump_json(Json{{"job", directory.job()}}) + "\n");
}

void check_inputs(const ShardedCommand& command) {
  for (const std::string& input : command.inputs) {
    struct stat status {};
    check<UsageError>(input != "-",
                      "--shard-dir needs a file that all processes can read, not standard input; give one");
    check<InputError>(::stat(input.c_str(), &status) == 0 || errno != ENOENT,
                      "--shard-dir needs a file to {}, but there is no file {}", command.name, in_quotes(input));
    check<InputError>(::stat(input.c_str(), &status) != 0 || S_ISREG(status.st_mode),
                      "--shard-dir needs a file that all processes can read, but {} is not one", in_quotes(input));
  }
}

}  // namespace

int run_sharded(const ShardFlags& flags, const Options& options, const ShardedCommand& command) {
  check_inputs(command);
  watch_interrupts();
  const shards::Share share = share_of(flags).value_or(shards::Share{});
  const auto directory = shards::ShardDirectory::join(
      flags.directory, settings_of(options, command),
      [&]() -> std::int64_t { return flags.chunk_lines > 0 ? flags.chunk_lines : choose_chunk_lines(command); });
  const bool was_finished = exists(finish_record(directory.path()));
  WholeProgress progress(command.verb);
  const shards::Work work{.inputs = static_cast<std::int64_t>(command.inputs.size()),
                          .open = [&] { return InTurn(command.inputs, command.encoding); },
                          .process =
                              [&](const shards::Lines& lines) {
                                return command.process(lines, [&](std::int64_t done) { progress.advance(done); });
                              },
                          .stopped = [] { return interrupted() != 0; },
                          .on_status = [&](const shards::Status& status) { progress.show(status); },
                          .lease_seconds = flags.lease,
                          .share = share};
  const shards::Outcome outcome = shards::run_worker(directory, work);
  progress.clear();
  if (outcome == shards::Outcome::stopped) {
    print_note("stopped on request; start the same command again to continue");
    return kStoppedOnRequest;
  }
  if (outcome == shards::Outcome::share_is_done)
    print_note("part {}/{} is done, but the others are not yet", share.number, share.count);
  else if (command.finish)
    finish_last(directory, command, flags.lease, was_finished);
  else if (!command.output.empty())
    gather_last(directory, command.output, flags.lease);
  else
    print_note("everything is done; join the results with `heed gather {}`", quote_word(flags.directory));
  return 0;
}

}  // namespace heed::cli
