// What the forms of `heed bench` share.
#pragma once

#include <sys/resource.h>

namespace heed::cli {

inline double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace heed::cli
