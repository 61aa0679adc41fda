#include "serve/request_pool.h"

#include <algorithm>
#include <system_error>

namespace heed::serve {

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    turns_.clear();
    queued_ = 0;
  }
  filled_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<RequestPool::Id> RequestPool::submit(Request request) {
  request.bytes = std::min(request.bytes, limits_.large);
  const std::lock_guard lock(mutex_);
  const std::size_t requests = queued_ + running_;
  if (stopping_ || requests >= limits_.requests || (requests > 0 && bytes_ + request.bytes > limits_.bytes)) return {};
  if (idle_ <= queued_ && threads_.size() < limits_.threads && !start_thread() && threads_.empty()) return {};
  auto turn = std::ranges::find(turns_, request.client, &Turn::client);
  if (turn == turns_.end()) turn = turns_.insert(turns_.end(), {.client = request.client, .queue = {}});
  bytes_ += request.bytes;
  turn->queue.emplace(next_, std::move(request));
  ++queued_;
  filled_.notify_one();
  return next_++;
}

// Failing to start a thread is not an error as long as there is at least one.
bool RequestPool::start_thread() try {
  threads_.emplace_back([this] { work(); });
  return true;
} catch (const std::system_error&) {
  return false;
}

void RequestPool::forget(Id id) {
  const std::lock_guard lock(mutex_);
  for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
    const auto entry = turn->queue.find(id);
    if (entry == turn->queue.end()) continue;
    bytes_ -= entry->second.bytes;
    --queued_;
    turn->queue.erase(entry);
    if (turn->queue.empty()) turns_.erase(turn);
    return;
  }
}

RequestPool::Load RequestPool::load() const {
  const std::lock_guard lock(mutex_);
  return {.queued = queued_, .running = running_, .bytes = bytes_};
}

RequestPool::Request RequestPool::take() {
  Turn& turn = turns_.front();
  Request request = std::move(turn.queue.begin()->second);
  turn.queue.erase(turn.queue.begin());
  --queued_;
  if (turn.queue.empty())
    turns_.pop_front();
  else
    turns_.splice(turns_.end(), turns_, turns_.begin());
  return request;
}

void RequestPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    filled_.wait(lock, [&] { return stopping_ || queued_ > 0; });
    --idle_;
    if (queued_ == 0) return;
    Request request = take();
    ++running_;
    lock.unlock();
    request.task();
    request.task = {};  // frees what it holds without the lock
    lock.lock();
    --running_;
    bytes_ -= request.bytes;
  }
}

}  // namespace heed::serve
