#include "shards/claims.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system.h"

namespace heed::shards {

namespace fs = std::filesystem;

namespace {

constexpr int kBeatsPerLease = 6;

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// State and start time of a process, from /proc; empty if it does not exist.
struct ProcessState {
  std::string state, start;
};
ProcessState process_state(const std::string& pid) {
  const std::string line = first_line_of("/proc/" + pid + "/stat");
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));  // the name may contain spaces
  ProcessState process;
  fields >> process.state;
  for (int field = 4; field <= 22; ++field) fields >> process.start;
  return process;
}

// The boot of the machine and the PID namespace: a PID denotes the same process only if both are equal.
std::string machine() {
  std::error_code ignored;
  const std::string pid_namespace = fs::read_symlink("/proc/self/ns/pid", ignored).string();
  return first_line_of("/proc/sys/kernel/random/boot_id") + "/" + pid_namespace;
}

// "HOST MACHINE PID START"
std::string this_worker() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::string pid = std::to_string(::getpid());
  return fmt::format("{} {} {} {}", host.data(), machine(), pid, process_state(pid).start);
}

// Always of the same length for one worker, so that a heartbeat overwrites all of it.
std::string claim_content(const std::string& worker, std::int64_t beat) {
  return fmt::format("{} {:010}\n", worker, beat);
}

// Whether the worker that wrote a claim's content ran on this machine and has ended.
bool has_ended(const std::string& content) {
  std::istringstream fields(content);
  std::string host, where, pid, start;
  int number = 0;
  static const std::string here = machine();
  if (!(fields >> host >> where >> pid >> start) || where != here || parse_number(pid, number) != std::errc())
    return false;
  if (::kill(number, 0) != 0 && errno == ESRCH) return true;
  const ProcessState process = process_state(pid);
  return !process.start.empty() && (process.start != start || process.state == "Z" || process.state == "X");
}

std::string with_generation(const std::string& path, int generation) {
  return fmt::format("{}.{}", path, generation);
}

}  // namespace

Claim::Claim(std::string path, int generation, std::string worker, double lease_seconds)
    : path_(std::move(path)),
      worker_(std::move(worker)),
      generation_(generation),
      interval_(lease_seconds / kBeatsPerLease) {
  // The heartbeat thread must not handle signals.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  heartbeat_ = std::thread([this] { beat(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Claim::~Claim() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  heartbeat_.join();
  // First the claims of dead workers: nobody takes them over while this worker's own, newer claim exists.
  for (int generation = 0; generation <= generation_; ++generation)
    ::unlink(with_generation(path_, generation).c_str());
}

void Claim::beat() {
  const std::string path = with_generation(path_, generation_);
  std::unique_lock lock(mutex_);
  for (std::int64_t count = 1;; ++count) {
    if (end_.wait_for(lock, std::chrono::duration<double>(interval_), [this] { return ended_; })) return;
    // Opened each time, because on NFS others see the content only after it was closed. If the claim is gone, then so
    // is the directory, or this worker was taken for dead; in both cases the claim no longer matters.
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.get() >= 0) write_all(file.get(), claim_content(worker_, count));
  }
}

Claims::Claims(std::string directory, double lease_seconds) : directory_(std::move(directory)), lease_(lease_seconds) {}

void Claims::refresh() {
  std::map<std::string, int> newest;
  std::error_code error;
  for (fs::directory_iterator entry(directory_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::size_t dot = name.rfind('.');
    int generation = 0;
    if (dot == name.npos || parse_number(std::string_view(name).substr(dot + 1), generation) != std::errc()) continue;
    int& known = newest.try_emplace(name.substr(0, dot), generation).first->second;
    known = std::max(known, generation);
  }
  if (error) throw InputError("cannot read the directory '{}': {}", directory_, error.message());
  std::map<std::string, Seen> seen;
  for (const auto& [name, generation] : newest) {
    Seen now{generation, first_line_of(with_generation(directory_ + "/" + name, generation)), false, {}};
    const auto before = seen_.find(name);
    if (before != seen_.end() && before->second.generation == generation && before->second.content == now.content)
      now.unchanged = before->second.unchanged;
    now.dead = now.unchanged.seconds() > lease_ || has_ended(now.content);
    seen.emplace(name, std::move(now));
  }
  seen_ = std::move(seen);
}

bool Claims::is_held(const std::string& name) const {
  const auto found = seen_.find(name);
  return found != seen_.end() && !found->second.dead;
}

std::unique_ptr<Claim> Claims::take(const std::string& name) {
  const auto found = seen_.find(name);
  const int generation = found == seen_.end() ? 0 : found->second.generation + 1;
  const std::string path = directory_ + "/" + name, own = with_generation(path, generation);
  const Descriptor file(::open(own.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0 && errno == EEXIST) return nullptr;
  check<InputError>(file.get() >= 0, "cannot write '{}': {}; every worker must be able to write to this directory", own,
                    system_message(errno));
  std::string worker = this_worker();
  if (const int failure = write_all(file.get(), claim_content(worker, 0)); failure != 0) {
    ::unlink(own.c_str());
    throw InputError("cannot write '{}': {}; free some space and start the command again", own,
                     system_message(failure));
  }
  return std::make_unique<Claim>(path, generation, std::move(worker), lease_);
}

}  // namespace heed::shards
