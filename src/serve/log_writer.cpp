#include "serve/log_writer.h"

#include <utility>

namespace heed::serve {

LogWriter::~LogWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  filled_.notify_one();
  thread_.join();
}

void LogWriter::write(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.size() >= kMostLines) {
      ++dropped_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  filled_.notify_one();
}

std::uint64_t LogWriter::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void LogWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    filled_.wait(lock, [&] { return stopping_ || !lines_.empty(); });
    if (lines_.empty()) return;
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    lock.unlock();
    sink_(line);
    lock.lock();
  }
}

}  // namespace heed::serve
