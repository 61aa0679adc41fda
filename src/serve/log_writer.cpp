#include "serve/log_writer.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace heed::serve {

struct LogWriter::State {
  explicit State(Sink writes) : sink(std::move(writes)) {}

  Sink sink;
  std::mutex mutex = {};  // guards everything below
  std::condition_variable changed = {};
  std::string waiting = {};
  std::uint64_t dropped = 0;
  bool idle = false, stopping = false, ended = false;
};

LogWriter::LogWriter(Sink sink) : state_(std::make_shared<State>(std::move(sink))) {
  std::thread([state = state_] { work(*state); }).detach();
}

LogWriter::~LogWriter() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kLastLines, [&] { return state_->ended; });
}

void LogWriter::write(std::string_view line) {
  const std::lock_guard lock(state_->mutex);
  if (state_->waiting.size() + line.size() > kMostBytes) {
    ++state_->dropped;
    return;
  }
  state_->waiting += line;
  if (std::exchange(state_->idle, false)) state_->changed.notify_all();
}

std::uint64_t LogWriter::dropped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

void LogWriter::work(State& state) {
  std::string lines;
  std::unique_lock lock(state.mutex);
  for (;;) {
    state.idle = true;
    state.changed.wait(lock, [&] { return state.stopping || !state.waiting.empty(); });
    state.idle = false;
    if (state.waiting.empty()) break;
    lines.swap(state.waiting);
    lock.unlock();
    const bool written = state.sink(lines);
    const auto count = static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
    lines.clear();
    lock.lock();
    if (!written) state.dropped += count;
  }
  state.ended = true;
  state.changed.notify_all();
}

}  // namespace heed::serve
