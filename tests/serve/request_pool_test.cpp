#include "serve/request_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace heed::serve {
namespace {

TEST(RequestPool, RunsWhatItAcceptsAndRefusesTheRest) {
  std::latch go(1);
  std::atomic<int> done = 0;
  const RequestPool::Task task = [&] { go.wait(), ++done; };
  {
    RequestPool pool({.threads = 2, .requests = 5, .bytes = 1000, .large = 100});
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(pool.submit({.bytes = 1, .task = task})) << i;
    EXPECT_FALSE(pool.submit({.bytes = 1, .task = task}));
    while (pool.load().running < 2) std::this_thread::yield();
    EXPECT_EQ(pool.load().queued, 3u);
    EXPECT_EQ(pool.load().bytes, 5u);
    go.count_down();
    while (pool.load().running + pool.load().queued > 0) std::this_thread::yield();
    EXPECT_EQ(pool.load().bytes, 0u);
    EXPECT_TRUE(pool.submit({.bytes = 1, .task = task}));
    while (done < 6) std::this_thread::yield();
  }
  EXPECT_EQ(done, 6);
}

TEST(RequestPool, CountsBytesButNotAllOfALargeRequest) {
  std::latch go(1);
  const RequestPool::Task task = [&] { go.wait(); };
  RequestPool pool({.threads = 1, .requests = 100, .bytes = 150, .large = 100});
  EXPECT_TRUE(pool.submit({.bytes = 1'000'000, .task = task}));  // counts as 100
  EXPECT_TRUE(pool.submit({.bytes = 50, .task = task}));
  EXPECT_FALSE(pool.submit({.bytes = 1, .task = task}));
  go.count_down();
}

// A request that is larger than all the room is accepted if it is alone.
TEST(RequestPool, AcceptsALargeRequestAlone) {
  std::latch go(1);
  RequestPool pool({.threads = 1, .requests = 100, .bytes = 10, .large = 100});
  EXPECT_TRUE(pool.submit({.bytes = 1000, .task = [&] { go.wait(); }}));
  EXPECT_FALSE(pool.submit({.bytes = 1, .task = [] {}}));
  go.count_down();
}

TEST(RequestPool, ForgetsQueuedTasks) {
  std::latch go(1);
  std::atomic<bool> ran = false;
  RequestPool pool({.threads = 1, .requests = 2, .bytes = 1000, .large = 100});
  const auto first = pool.submit({.bytes = 1, .task = [&] { go.wait(); }});
  while (pool.load().running < 1) std::this_thread::yield();
  const auto second = pool.submit({.bytes = 1, .task = [&] { ran = true; }});
  ASSERT_TRUE(first && second);
  pool.forget(*first);  // is running: no effect
  pool.forget(*second);
  EXPECT_EQ(pool.load().queued, 0u);
  EXPECT_EQ(pool.load().bytes, 1u);
  EXPECT_TRUE(pool.submit({.bytes = 1, .task = [] {}}));
  go.count_down();
  while (pool.load().running + pool.load().queued > 0) std::this_thread::yield();
  EXPECT_FALSE(ran);
}

// A client with many requests does not delay the first one of another.
TEST(RequestPool, ClientsTakeTurns) {
  std::latch go(1);
  std::string order;
  {
    RequestPool pool({.threads = 1, .requests = 100});
    EXPECT_TRUE(pool.submit({.bytes = 1, .task = [&] { go.wait(); }}));
    while (pool.load().running < 1) std::this_thread::yield();
    const auto add = [&](const char* client, char c) {
      return pool.submit({.client = client, .task = [&order, c] { order += c; }});
    };
    for (const char c : {'a', 'b', 'c'}) EXPECT_TRUE(add("first", c));
    const auto forgotten = add("third", 'x');
    for (const char c : {'A', 'B'}) EXPECT_TRUE(add("second", c));
    pool.forget(*forgotten);
    EXPECT_EQ(pool.load().queued, 5u);
    go.count_down();
    while (pool.load().queued + pool.load().running > 0) std::this_thread::yield();
  }
  EXPECT_EQ(order, "aAbBc");
}

}  // namespace
}  // namespace heed::serve
