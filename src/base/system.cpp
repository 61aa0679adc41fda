#include "base/system.h"

#include <sys/mman.h>

namespace heed::inline base {

bool has_memory(std::size_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped != MAP_FAILED && ::munmap(mapped, bytes) == 0;
}

}  // namespace heed::base
