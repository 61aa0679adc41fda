#include "train/run_directory.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/system.h"

namespace heed::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = "checkpoint/good.safetensors";
constexpr const char* kLatest = "checkpoint/latest.safetensors";

std::optional<Checkpoint> open_checkpoint(const std::string& path) {
  if (!fs::exists(path)) return {};
  return Checkpoint(path);
}

// Removes the files whose name fulfils the predicate; failures are ignored.
template <class Predicate>
void remove_files(const std::string& directory, const Predicate& predicate) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory))
    if (predicate(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

}  // namespace

std::string RunDirectory::file(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

std::string RunDirectory::snapshot(std::int64_t update) const {
  return file(fmt::format("checkpoint/snapshot-{}.safetensors", update));
}

std::vector<std::string> RunDirectory::files() const {
  return {file("model.safetensors"), file("metrics.jsonl"), file("samples.jsonl"), file(kGood), file(kLatest)};
}

bool RunDirectory::contains_run() const {
  return fs::exists(file(kGood)) || fs::exists(file("model.safetensors"));
}

void RunDirectory::open() {
  make_directories(file("checkpoint"));
  lock_ = open_own_file(file("checkpoint/lock"));
  // Other errors mean that the file system has no locks; train without one.
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError("another heed process is training in '{}'; wait for it, or choose another --out", path_);
  // Files that a killed process was writing.
  for (const std::string& directory : {path_, file("checkpoint")}) remove_stale_files(directory);
}

void RunDirectory::clear() const {
  std::error_code error;
  // The checkpoints are removed last: as long as one exists, the directory contains a run.
  for (const char* name : {"samples.jsonl", "metrics.jsonl", "report.html", "model.safetensors", kLatest, kGood})
    if (fs::remove(file(name), error); error) throw InputError("cannot remove '{}': {}", file(name), error.message());
  remove_old_snapshots({});
}

std::optional<Checkpoint> RunDirectory::good() const {
  return open_checkpoint(file(kGood));
}

std::optional<Checkpoint> RunDirectory::newest() const {
  std::optional<Checkpoint> scheduled = good(), latest = open_checkpoint(file(kLatest));
  if (!scheduled || !latest) return scheduled;
  // After a rollback the update is smaller although the checkpoint is newer.
  const auto age = [](const Checkpoint& c) { return std::pair(c.state().rollbacks, c.state().trainer.update); };
  return age(*latest) > age(*scheduled) ? std::move(latest) : std::move(scheduled);
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
