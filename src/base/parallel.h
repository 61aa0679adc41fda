// A loop whose iterations run on the workers of a thread pool.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "base/thread_pool.h"

namespace heed::inline base {

// Calls function(worker, i) once for each i = 0 … count - 1, in any order; a free worker takes the next i. After the
// first exception no new i is started, and the exception is rethrown here. Results must not depend on `worker`, which
// only selects scratch memory.
template <class Function>
void parallel_for(ThreadPool& pool, std::size_t count, Function&& function) {
  std::atomic<std::size_t> next = 0;
  const auto workers = std::clamp<std::size_t>(count, 1, static_cast<std::size_t>(pool.size()));
  pool.run(static_cast<int>(workers), [&](int worker) {
    try {
      for (std::size_t i = next++; i < count; i = next++) function(worker, i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

// The number of threads for a pass over `bytes` of memory: one per 4 MiB, at most 8 and at most one per core.
inline int workers_for(std::size_t bytes) {
  constexpr std::size_t kBytesPerThread = std::size_t{4} << 20, kMostThreads = 8;
  const std::size_t cores = std::min(static_cast<std::size_t>(worker_count(0)), kMostThreads);
  return static_cast<int>(std::clamp<std::size_t>(bytes / kBytesPerThread, 1, cores));
}

}  // namespace heed::base
