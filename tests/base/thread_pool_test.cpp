#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <new>

#include "base/error.h"
#include "support/allocations.h"

namespace heed {
namespace {

TEST(ThreadPool, runs_every_worker_once) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.size(), 4);
  for (int workers = 1; workers <= 4; ++workers) {
    std::vector<int> calls(4, 0);  // not atomic: run() must publish what the workers wrote
    pool.run(workers, [&](int worker) { ++calls[static_cast<std::size_t>(worker)]; });
    for (int i = 0; i < 4; ++i) EXPECT_EQ(calls[static_cast<std::size_t>(i)], i < workers) << workers << " " << i;
  }
}

TEST(ThreadPool, workers_run_at_the_same_time) {
  ThreadPool pool(3);
  std::barrier together(3);  // a pool that ran them one after the other would wait here forever
  std::atomic<int> passed{0};
  pool.run(3, [&](int) {
    together.arrive_and_wait();
    ++passed;
  });
  EXPECT_EQ(passed, 3);
}

TEST(ThreadPool, many_tasks_in_a_row) {
  ThreadPool pool(3);
  std::int64_t sum = 0;
  std::vector<std::int64_t> part(3);
  for (int task = 0; task < 5'000; ++task) {
    pool.run(1 + task % 3, [&](int worker) { part[static_cast<std::size_t>(worker)] = task + worker; });
    for (int worker = 0; worker < 1 + task % 3; ++worker) sum += part[static_cast<std::size_t>(worker)];
  }
  std::int64_t expected = 0;
  for (int task = 0; task < 5'000; ++task)
    for (int worker = 0; worker < 1 + task % 3; ++worker) expected += task + worker;
  EXPECT_EQ(sum, expected);
}

TEST(ThreadPool, one_worker_runs_inline) {
  ThreadPool pool(1);
  std::thread::id seen;
  pool.run(1, [&](int) { seen = std::this_thread::get_id(); });
  EXPECT_EQ(seen, std::this_thread::get_id());
}

TEST(ThreadPool, rethrows_an_exception_after_all_workers_stopped) {
  ThreadPool pool(4);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<int> finished{0};
    try {
      pool.run(4, [&](int worker) {
        if (worker == 1 || worker == 2) throw InputError("worker {}", worker);
        ++finished;
      });
      FAIL() << "nothing was thrown";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "worker 1");
    }
    EXPECT_EQ(finished, 2);
  }
  EXPECT_THROW(pool.run(4,
                        [](int worker) {
                          if (worker == 0) throw std::bad_alloc();
                        }),
               std::bad_alloc);
  int calls = 0;
  pool.run(1, [&](int) { ++calls; });
  EXPECT_EQ(calls, 1) << "the pool works after a failure";
}

TEST(ThreadPool, rejects_impossible_worker_counts_and_nested_tasks) {
  EXPECT_THROW(ThreadPool(0), ShapeError);
  EXPECT_THROW(ThreadPool(-3), ShapeError);
  ThreadPool pool(2);
  const auto nothing = [](int) {};
  EXPECT_THROW(pool.run(3, nothing), ShapeError);
  EXPECT_THROW(pool.run(0, nothing), ShapeError);
  EXPECT_THROW(pool.run(2,
                        [&](int worker) {
                          if (worker == 0) pool.run(1, nothing);
                        }),
               InternalError);
}

#ifdef HEED_COUNTS_ALLOCATIONS
TEST(ThreadPool, a_task_allocates_nothing) {
  ThreadPool pool(2);
  std::array<long, 16> big{};  // too large for the small buffer of a std::function
  const auto task = [big, &pool](int worker) { return big[static_cast<std::size_t>(worker)] + pool.size(); };
  pool.run(2, task);
  const long before = allocations;
  for (int i = 0; i < 100; ++i) pool.run(2, task);
  EXPECT_EQ(allocations, before);
}
#endif

}  // namespace
}  // namespace heed
