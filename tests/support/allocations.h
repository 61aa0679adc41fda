// Counts what a whole test program allocates through operator new, to see that something costs nothing, and fails on
// demand, to see what is left then. Include it in one file of the program. (What a library takes from malloc is not
// counted. The sanitizers bring operators of their own: where they do, HEED_COUNTS_ALLOCATIONS is not defined.)
#pragma once

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEED_COUNTS_ALLOCATIONS

#include <atomic>
#include <cstdlib>
#include <new>

namespace heed {
inline std::atomic<long> allocations{0};
inline std::atomic<long> until_failure{0};  // above 0: the allocation that this counts down to throws
}  // namespace heed

// Not inlined: beside the library's declarations the compiler would take malloc and delete for a mismatch.
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
