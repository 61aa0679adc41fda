#include "train/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "base/files.h"
#include "base/system.h"

namespace heed::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = "checkpoint/good.safetensors";
constexpr const char* kLatest = "checkpoint/latest.safetensors";
constexpr const char* kLock = "checkpoint/lock";
// What clear() removes, checkpoints last: as long as one exists, the directory counts as a run.
constexpr std::string_view kCleared[] = {"samples.jsonl",     "metrics.jsonl", kEventFile, "report.html",
                                         "model.safetensors", kLatest,         kGood};

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

// A checkpoint, or what is wrong with it.
struct Opened {
  std::optional<Checkpoint> checkpoint;
  std::string problem;
};

Opened open_checkpoint(const std::string& path) try {
  if (!exists(path)) return {{}, fmt::format("'{}' is missing", path)};
  return {Checkpoint(path), {}};
} catch (const InputError& error) {
  return {{}, what_is_wrong(error)};
}

// Tries to get the lock. Any other error means that the file system has no locks: then we do without.
bool is_locked_elsewhere(const Descriptor& lock, int kind) {
  return ::flock(lock.get(), kind | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

// Whether a log has at most the line that a run writes when it starts; the line may be cut off.
bool has_only_start(const std::string& path) {
  constexpr std::string_view kStart = R"({"kind":"start")";
  const std::string text = read_file(path);
  const std::size_t end = text.find('\n');
  return (text.starts_with(kStart) || kStart.starts_with(text)) && (end == text.npos || end + 1 == text.size());
}

// Removes the files whose names satisfy the predicate; failures are ignored.
template <class Predicate>
void remove_files(const std::string& directory, const Predicate& predicate) {
  std::error_code error, ignored;
  for (fs::directory_iterator at(directory, error); !error && at != fs::directory_iterator(); at.increment(error))
    if (predicate(at->path().filename().string())) fs::remove(at->path(), ignored);
}

}  // namespace

std::string RunDirectory::file(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

std::string RunDirectory::snapshot(std::int64_t update) const {
  return file(fmt::format("checkpoint/snapshot-{}.safetensors", update));
}

bool RunDirectory::is_run_file(std::string_view name) {
  return name == "config.toml" || name == kLock || name.starts_with("checkpoint/snapshot-") ||
         std::ranges::find(kCleared, name) != std::end(kCleared);
}

std::vector<std::string> RunDirectory::files() const {
  return {file("model.safetensors"), file("metrics.jsonl"), file("samples.jsonl"), file(kGood), file(kLatest),
          file(kEventFile)};
}

std::vector<std::string> RunDirectory::kept_files() const {
  std::vector<std::string> kept = files();
  kept.push_back(file("config.toml"));
  return kept;
}

bool RunDirectory::has_checkpoint() const {
  return exists(file(kGood)) || exists(file(kLatest));
}

std::string RunDirectory::find_foreign_file() const {
  if (has_checkpoint()) return "";
  for (const char* name : {"model.safetensors", "report.html"})
    if (exists(file(name))) return file(name);
  const bool was_open = exists(file(kLock));  // a run was here
  const std::string config = file("config.toml"), metrics = file("metrics.jsonl"), samples = file("samples.jsonl");
  if (exists(config) && !(was_open && is_own_config(read_file(config), path_))) return config;
  if (exists(metrics) && !(was_open && has_only_start(metrics))) return metrics;
  if (exists(samples) && !(was_open && read_file(samples).empty())) return samples;
  return "";
}

void RunDirectory::open() {
  make_directories(file("checkpoint"));
  lock_ = open_own_file(file(kLock));
  // is_locked() of another process holds the lock for a moment.
  bool locked = is_locked_elsewhere(lock_, LOCK_EX);
  for (int attempt = 0; locked && attempt < 20; ++attempt) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    locked = is_locked_elsewhere(lock_, LOCK_EX);
  }
  if (locked) throw InputError("another heed process is training in '{}'; wait for it, or choose another --out", path_);
  // Files that a killed process was writing.
  for (const std::string& directory : {path_, file("checkpoint")}) remove_stale_files(directory);
}

bool RunDirectory::is_locked() const {
  const Descriptor lock(::open(file(kLock).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  return lock.get() >= 0 && is_locked_elsewhere(lock, LOCK_SH);
}

void RunDirectory::clear() const {
  std::error_code error;
  for (const std::string_view name : kCleared) {
    const std::string path = file(std::string(name));
    if (fs::remove(path, error); error) throw InputError("cannot remove '{}': {}", path, error.message());
  }
  remove_old_snapshots({});
}

std::optional<Checkpoint> RunDirectory::good() const {
  if (!exists(file(kGood))) return {};
  return Checkpoint(file(kGood));
}

RunDirectory::Newest RunDirectory::newest() const {
  if (!has_checkpoint()) return {};
  auto [good, good_problem] = open_checkpoint(file(kGood));
  auto [latest, latest_problem] = open_checkpoint(file(kLatest));
  const auto resuming_from = [&](const char* name) { return fmt::format("resuming from '{}' instead", file(name)); };
  if (!good && !latest)
    throw InputError("{}, and {}; restore one from a copy, or start again with --overwrite", good_problem,
                     latest_problem);
  if (!good) return {std::move(latest), fmt::format("{}; {}", good_problem, resuming_from(kLatest)), true};
  if (!latest && exists(file(kLatest)))
    return {std::move(good), fmt::format("{}; {}", latest_problem, resuming_from(kGood))};
  if (!latest) return {std::move(good), ""};
  // After a rollback the update is smaller although the checkpoint is newer.
  const auto age = [](const Checkpoint& c) { return std::pair(c.state().rollbacks, c.state().trainer.update); };
  return {age(*latest) > age(*good) ? std::move(latest) : std::move(good), ""};
}

void RunDirectory::replace_good() const {
  std::error_code error;
  fs::rename(file(kLatest), file(kGood), error);
  if (error) throw InputError("cannot rename '{}' to '{}': {}", file(kLatest), file(kGood), error.message());
}

void RunDirectory::save(Kind kind, const RunState& state, const RunIdentity& identity,
                        const NamedTensors& tensors) const {
  write_checkpoint(file(kind == Kind::scheduled ? kGood : kLatest), state, identity, tensors);
  if (kind != Kind::scheduled) return;
  std::error_code ignored;
  fs::remove(file(kLatest), ignored);
  remove_old_snapshots(state);
}

void RunDirectory::remove_old_snapshots(const RunState& state) const {
  remove_files(file("checkpoint"), [&](const std::string& name) {
    return name.starts_with("snapshot-") && std::ranges::none_of(state.best.snapshots, [&](const Snapshot& s) {
             return fs::path(snapshot(s.update)).filename() == name;
           });
  });
}

}  // namespace heed::train
