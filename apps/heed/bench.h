// Shared by the `heed bench` commands.
#pragma once

#include <sys/resource.h>

namespace heed::cli {

inline double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace heed::cli
