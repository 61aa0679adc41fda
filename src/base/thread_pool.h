// A fixed set of workers that run one task together. The caller is worker 0, so a pool of one has no threads and runs
// everything inline. run() may be called by one thread at a time, and not from inside a task; it allocates nothing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace heed::inline base {

// The number of workers that a user's setting stands for: 0 is one per core, at most 64.
int worker_count(int setting);

class ThreadPool {
 public:
  // Starts workers - 1 threads; `workers` is at least 1. InputError if the system cannot start them.
  explicit ThreadPool(int workers);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  int size() const { return static_cast<int>(failures_.size()); }

  // Calls function(i) on workers i = 0 … workers - 1 at the same time and waits until all have returned. Then rethrows
  // the exception of the worker with the lowest index, if there is one.
  template <class Function>
  void run(int workers, Function&& function) {
    using Plain = std::remove_reference_t<Function>;
    const auto call = [](void* context, int worker) { (*static_cast<Plain*>(context))(worker); };
    run_task({call, const_cast<std::remove_const_t<Plain>*>(std::addressof(function))}, workers);
  }

 private:
  struct Task {
    void (*call)(void* context, int worker) = nullptr;
    void* context = nullptr;
  };

  void run_task(Task task, int workers);
  void run_part(Task task, int worker) noexcept;
  void serve(int worker);
  void stop() noexcept;

  std::vector<std::exception_ptr> failures_;  // one per worker; each worker writes only its own
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable task_ready_, all_done_;
  Task task_;
  std::uint64_t generation_ = 0;  // counts tasks, so that a worker runs each task once
  int active_ = 0;                // workers of the task, including the caller
  int unfinished_ = 0;            // threads still in the task
  bool busy_ = false, stopping_ = false;
};

}  // namespace heed::base
