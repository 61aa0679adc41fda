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

}  // namespace

std::string RunDirectory::file(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

std::string RunDirectory::snapshot(std::int64_t update) const {
  return file(fmt::format("checkpoint/snapshot-{}.safetensors", update));
}

bool RunDirectory::is_taken() const {
  return fs::exists(file(kGood)) || fs::exists(file("model.safetensors"));
}

void RunDirectory::open() {
  make_directories(file("checkpoint"));
  const std::string path = file("checkpoint/lock");
  lock_ = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (lock_.get() < 0) throw InputError("cannot write '{}': {}", path, system_message(errno));
  // A file system without locks gives none; train all the same.
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw InputError("another heed is training in '{}'; wait for it, or choose another --out", path_);
  // What a process that was killed was writing.
  for (const std::string& directory : {path_, file("checkpoint")})
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string name = entry.path().filename().string();
      std::error_code ignored;
      if (name.starts_with(".heed-") && name.ends_with(".tmp")) fs::remove(entry.path(), ignored);
    }
}

void RunDirectory::clear() const {
  std::error_code error;
  // The checkpoints go last: as long as they are there, the directory is taken.
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
  // A run that went back stands at an earlier update, yet later.
  const auto age = [](const Checkpoint& c) { return std::pair(c.state().rollbacks, c.state().trainer.update); };
  return age(*latest) > age(*scheduled) ? std::move(latest) : std::move(scheduled);
}

void RunDirectory::save(Moment moment, const RunState& state, const RunIdentity& identity,
                        const std::vector<std::pair<std::string, Tensor>>& tensors) const {
  write_checkpoint(file(moment == Moment::scheduled ? kGood : kLatest), state, identity, tensors);
  if (moment != Moment::scheduled) return;
  std::error_code ignored;
  fs::remove(file(kLatest), ignored);
  remove_old_snapshots(state);
}

void RunDirectory::remove_old_snapshots(const RunState& state) const {
  std::vector<std::string> kept;
  for (const Snapshot& s : state.best.snapshots) kept.push_back(fs::path(snapshot(s.update)).filename().string());
  for (const auto& entry : fs::directory_iterator(file("checkpoint"))) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (name.starts_with("snapshot-") && std::ranges::find(kept, name) == kept.end()) fs::remove(entry.path(), ignored);
  }
}

}  // namespace heed::train
