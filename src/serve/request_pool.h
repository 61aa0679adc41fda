// The threads that answer requests. They mostly wait for the threads that translate, so there are more of them than
// cores. The number and size of accepted requests is limited; requests beyond that are refused at once. Clients take
// turns, so that one with many requests does not block the others. Thread-safe.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace heed::serve {

struct RequestPoolLimits {
  std::size_t threads = 128;
  std::size_t requests = 512;  // queued and running
  // Total size of these requests. A request counts as at most `large` bytes, because the sentences of a large one take
  // turns with those of the others.
  std::size_t bytes = 512 << 10, large = 16 << 10;
};

class RequestPool {
 public:
  using Task = std::function<void()>;
  using Id = std::uint64_t;

  explicit RequestPool(const RequestPoolLimits& limits) : limits_(limits) {}
  // Waits for running tasks and drops queued ones.
  ~RequestPool();

  struct Request {
    std::size_t bytes = 0;
    std::string client = {};
    Task task;
  };
  // Returns nothing if the request is refused. Tasks must not throw. Those of one client start in the order submitted.
  std::optional<Id> submit(Request request);
  // Removes a request from the queue; does nothing if it has started.
  void forget(Id id);

  struct Load {
    std::size_t queued = 0, running = 0, bytes = 0;
  };
  Load load() const;

 private:
  // The queued requests of a client.
  struct Turn {
    std::string client;
    std::map<Id, Request> queue;
  };

  bool start_thread();
  Request take();
  void work();

  const RequestPoolLimits limits_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable filled_;
  std::list<Turn> turns_;  // one per client with queued requests; the next in turn is first
  std::size_t queued_ = 0;
  Id next_ = 1;
  std::size_t running_ = 0, idle_ = 0, bytes_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace heed::serve
