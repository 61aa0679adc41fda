// Counts the calls of operator new in a test program, and makes one fail on demand. Include it in one file of the
// program. Direct calls of malloc are not counted. HEED_COUNTS_ALLOCATIONS is not defined under the sanitizers, which
// have operators of their own.
#pragma once

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEED_COUNTS_ALLOCATIONS

#include <atomic>
#include <cstdlib>
#include <new>

namespace heed {
inline std::atomic<long> allocations{0};
inline std::atomic<long> until_failure{0};  // if above 0, counts down; the allocation that reaches 0 throws
}  // namespace heed

// Not inlined, because the compiler would warn of a mismatch between malloc and delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++heed::allocations;
  if (heed::until_failure > 0 && --heed::until_failure == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

#endif
