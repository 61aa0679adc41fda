#include "shards/shard_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/numbers.h"
#include "base/system.h"
#include "base/utf8.h"
#include "shards/digest.h"

namespace heed::shards {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kJobFormat = "heed shard directory 1";
constexpr std::string_view kEnding = ".zst";
constexpr std::int64_t kMostChunks = 100'000'000;  // eight digits

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

std::string job_path(const std::string& directory) {
  return directory + "/job.json";
}

// Creates a file unless it exists: the first of several workers wins.
void create_once(const std::string& path, std::string_view text) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string temporary = fmt::format("{}.{}-{}", path, host.data(), ::getpid());
  write_file_atomically(temporary, text);
  const bool linked = ::link(temporary.c_str(), path.c_str()) == 0;
  const int error = errno;
  ::unlink(temporary.c_str());
  if (linked || error == EEXIST || exists(path)) return;
  // The file system has no hard links.
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0 && errno == EEXIST) return;
  const int failure = file.get() < 0 ? errno : write_all(file.get(), text);
  check<InputError>(failure == 0, "cannot write '{}': {}", path, system_message(failure));
}

std::string job_text(std::span<const Setting> settings, std::int64_t chunk_lines) {
  Json values = Json::object();
  for (const Setting& setting : settings) values[setting.name] = setting.value;
  return dump_json({{"format", kJobFormat}, {"chunk_lines", chunk_lines}, {"settings", values}}, 2) + "\n";
}

void check_settings(const std::string& path, const Json& job, std::span<const Setting> settings) {
  const Json& theirs = job.at("settings");
  for (const Setting& setting : settings) {
    const auto found = theirs.find(setting.name);
    const std::string value = found == theirs.end() ? "nothing" : found->get<std::string>();
    if (value == setting.value) continue;
    const std::string way_out = setting.way_out.empty()
                                    ? "start all processes with the same command, or choose a new directory"
                                    : setting.way_out;
    check<UsageError>(!setting.is_digest, "{} was started with another {}: its digest was {}, here it is {}; {}",
                      in_quotes(path), setting.name, value, setting.value, way_out);
    throw UsageError("{} was started with {} {}, but this process has {}; {}", in_quotes(path), setting.name, value,
                     setting.value, way_out);
  }
}

}  // namespace

ShardDirectory::ShardDirectory(std::string path, const std::string& text) : path_(std::move(path)) {
  const std::string file = job_path(path_);
  const Json job = parse_json(text, file);
  try {
    check<InputError>(job.at("format") == kJobFormat, "'{}' has the format {}, but this heed knows only {}", file,
                      dump_json(job.at("format")), kJobFormat);
    chunk_lines_ = job.at("chunk_lines");
    check<InputError>(chunk_lines_ > 0 && job.at("settings").is_object(), "'{}' is damaged; choose a new directory",
                      file);
  } catch (const Json::exception&) {
    throw InputError("'{}' is not the job of a shard directory; choose a new directory", file);
  }
  job_ = digest_of(text);
}

ShardDirectory ShardDirectory::open(const std::string& path) {
  check<InputError>(exists(path), "there is no directory {}; heed translate --shard-dir DIR creates one",
                    in_quotes(path));
  check<InputError>(std::filesystem::is_directory(path), "{} is a file; give the directory of --shard-dir",
                    in_quotes(path));
  check<InputError>(exists(job_path(path)),
                    "{} is not a shard directory: it has no job.json; heed translate --shard-dir DIR creates one",
                    in_quotes(path));
  return {path, read_file(job_path(path))};
}

ShardDirectory ShardDirectory::join(const std::string& path, std::span<const Setting> settings,
                                    const std::function<std::int64_t()>& chunk_lines) {
  if (!exists(job_path(path))) {
    make_directories(path);
    create_once(job_path(path), job_text(settings, chunk_lines()));
  }
  const std::string text = read_file(job_path(path));
  ShardDirectory directory(path, text);
  check_settings(path, parse_json(text, job_path(path)), settings);
  for (const char* folder : {"input", "output", "claims"}) make_directories(fmt::format("{}/{}", path, folder));
  return directory;
}

std::string ShardDirectory::chunk_path(const char* folder, std::int64_t chunk) const {
  check<InputError>(chunk < kMostChunks, "{} would need more than {} chunks; start again with a larger --chunk-lines",
                    in_quotes(path_), kMostChunks);
  return fmt::format("{}/{}/{:08}{}", path_, folder, chunk, kEnding);
}

std::vector<bool> ShardDirectory::listed(const char* folder) const {
  std::vector<bool> found;
  std::error_code error;
  for (fs::directory_iterator entry(path_ + "/" + folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::size_t chunk = 0;
    if (name.size() != 8 + kEnding.size() || !name.ends_with(kEnding) ||
        parse_number(std::string_view(name).substr(0, 8), chunk) != std::errc())
      continue;
    if (found.size() <= chunk) found.resize(chunk + 1);
    found[chunk] = true;
  }
  if (error) {
    check_present();
    throw InputError("cannot read the directory '{}/{}': {}", path_, folder, error.message());
  }
  return found;
}

bool ShardDirectory::is_done(std::int64_t chunk) const {
  const Descriptor file(::open(output_path(chunk).c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() >= 0;
}

void ShardDirectory::check_present() const {
  check<InputError>(exists(job_path(path_)),
                    "the shard directory {} has disappeared; make it available again and restart the command",
                    in_quotes(path_));
}

std::optional<ShardDirectory::Split> ShardDirectory::split() const {
  if (!exists(split_path())) return {};
  const Json json = parse_json(read_file(split_path()), split_path());
  try {
    check<InputError>(json.at("job") == job_, "'{}' belongs to another job; choose a new directory", split_path());
    const Split split{json.at("chunks"), json.at("lines")};
    check<InputError>(split.chunks >= 0 && split.chunks <= split.lines && split.chunks <= kMostChunks,
                      "'{}' is damaged: {} chunks of {} lines; remove it and start the command again", split_path(),
                      split.chunks, split.lines);
    return split;
  } catch (const Json::exception&) {
    throw InputError("'{}' is damaged; remove it and start the command again", split_path());
  }
}

void ShardDirectory::finish_split(const Split& split) const {
  write_file_atomically(split_path(),
                        dump_json({{"job", job_}, {"chunks", split.chunks}, {"lines", split.lines}}) + "\n");
}

}  // namespace heed::shards
