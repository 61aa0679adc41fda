// The threads on which requests are answered. They mostly wait for the threads that translate, so there are more of
// them than cores. What is accepted is bounded in requests and in bytes; the rest is refused at once. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace heed::serve {

struct RequestPoolLimits {
  std::size_t threads = 128;
  std::size_t requests = 512;  // queued and running
  // Of the bodies of these requests. A large body counts only as `large` bytes, because its sentences take turns with
  // those of the others.
  std::size_t bytes = 512 << 10, large = 16 << 10;
};

class RequestPool {
 public:
  using Task = std::function<void()>;
  using Id = std::uint64_t;

  explicit RequestPool(const RequestPoolLimits& limits) : limits_(limits) {}
  // Waits for running tasks; queued ones are dropped.
  ~RequestPool();

  // Nothing if there is no room. Tasks must not throw; they start in the order of their ids.
  std::optional<Id> submit(std::size_t bytes, Task task);
  // Removes a task from the queue; does nothing if it has started.
  void forget(Id id);

  struct Load {
    std::size_t queued = 0, running = 0, bytes = 0;
  };
  Load load() const;

 private:
  struct Entry {
    Task task;
    std::size_t bytes = 0;
  };

  bool start_thread();
  void work();

  const RequestPoolLimits limits_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable filled_;
  std::map<Id, Entry> queue_;
  Id next_ = 1;
  std::size_t running_ = 0, idle_ = 0, bytes_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace heed::serve
