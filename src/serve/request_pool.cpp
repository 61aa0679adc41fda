#include "serve/request_pool.h"

#include <algorithm>
#include <system_error>

namespace heed::serve {

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<RequestPool::Id> RequestPool::submit(std::size_t bytes, Task task) {
  bytes = std::min(bytes, limits_.large);
  const std::lock_guard lock(mutex_);
  const std::size_t requests = queue_.size() + running_;
  if (stopping_ || requests >= limits_.requests || (requests > 0 && bytes_ + bytes > limits_.bytes)) return {};
  if (idle_ <= queue_.size() && threads_.size() < limits_.threads && !start_thread() && threads_.empty()) return {};
  queue_.emplace(next_, Entry{std::move(task), bytes});
  bytes_ += bytes;
  filled_.notify_one();
  return next_++;
}

// A system without another thread to give is not an error, as long as there is one.
bool RequestPool::start_thread() try {
  threads_.emplace_back([this] { work(); });
  return true;
} catch (const std::system_error&) {
  return false;
}

void RequestPool::forget(Id id) {
  const std::lock_guard lock(mutex_);
  const auto entry = queue_.find(id);
  if (entry == queue_.end()) return;
  bytes_ -= entry->second.bytes;
  queue_.erase(entry);
}

RequestPool::Load RequestPool::load() const {
  const std::lock_guard lock(mutex_);
  return {.queued = queue_.size(), .running = running_, .bytes = bytes_};
}

void RequestPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    filled_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Entry entry = std::move(queue_.begin()->second);
    queue_.erase(queue_.begin());
    ++running_;
    lock.unlock();
    entry.task();
    entry.task = {};  // what it holds is freed without the lock
    lock.lock();
    --running_;
    bytes_ -= entry.bytes;
  }
}

}  // namespace heed::serve
