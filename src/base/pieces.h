// Work in independent pieces that several threads take in turn, for the few places outside training and translating
// that are worth it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/thread_pool.h"

namespace heed {

// Calls function(i) for i = 0 … count - 1, each once, in any order and at the same time; what one throws is thrown
// here. `bytes`, all that is gone through, decides how many threads are worth starting.
template <class Function>
void for_each_piece(std::size_t count, std::size_t bytes, Function&& function) {
  constexpr std::size_t kBytesOfThread = std::size_t{4} << 20, kMostThreads = 8;
  const std::size_t cores = std::min(static_cast<std::size_t>(worker_count(0)), kMostThreads);
  const int workers = static_cast<int>(std::clamp<std::size_t>(bytes / kBytesOfThread, 1, cores));
  std::atomic<std::size_t> next = 0;
  ThreadPool pool(workers);
  pool.run(workers, [&](int /*worker*/) {
    for (std::size_t i = next++; i < count; i = next++) function(i);
  });
}

}  // namespace heed
