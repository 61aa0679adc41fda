#include "base/thread_pool.h"

#include <algorithm>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace heed::inline base {

int worker_count(int setting) {
  return setting > 0 ? setting : static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 64u));
}

ThreadPool::ThreadPool(int workers) {
  check(workers >= 1, "a thread pool of {} workers; it needs at least 1", workers);
  failures_.resize(static_cast<std::size_t>(workers));
  try {
    for (int worker = 1; worker < workers; ++worker) threads_.emplace_back([this, worker] { serve(worker); });
  } catch (const std::system_error& error) {
    stop();
    throw InputError("cannot start {} threads: {}; use fewer", workers, error.code().message());
  } catch (...) {
    stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  task_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run_part(Task task, int worker) noexcept {
  try {
    task.call(task.context, worker);
  } catch (...) {
    failures_[static_cast<std::size_t>(worker)] = std::current_exception();
  }
}

void ThreadPool::run_task(Task task, int workers) {
  check(workers >= 1 && workers <= size(), "a task for {} workers in a pool of {}", workers, size());
  {
    const std::lock_guard lock(mutex_);
    check<InternalError>(!busy_, "a thread pool was asked to run a task while it runs another");
    busy_ = true;
    task_ = task;
    active_ = workers;
    unfinished_ = workers - 1;
    ++generation_;
  }
  if (workers > 1) task_ready_.notify_all();
  run_part(task, 0);
  {
    std::unique_lock lock(mutex_);
    all_done_.wait(lock, [this] { return unfinished_ == 0; });
    busy_ = false;
  }
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_) {
    std::exception_ptr taken = std::exchange(failure, nullptr);
    if (!first) first = std::move(taken);
  }
  if (first) std::rethrow_exception(first);
}

namespace {

// Termination signals go to the main thread, which may have an alternate signal stack (sigaltstack).
void leave_signals_to_main_thread() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

void ThreadPool::serve(int worker) {
  leave_signals_to_main_thread();
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    task_ready_.wait(lock, [&] { return stopping_ || generation_ != seen; });
    if (stopping_) return;
    seen = generation_;
    if (worker >= active_) continue;
    const Task task = task_;
    lock.unlock();
    run_part(task, worker);
    lock.lock();
    if (--unfinished_ == 0) all_done_.notify_one();
  }
}

}  // namespace heed::base
