#include "base/time_use.h"

#include <array>
#include <atomic>

namespace heed {
namespace {

std::atomic<bool> measuring = false;
std::array<std::atomic<std::int64_t>, 6> nanoseconds{};

}  // namespace

void measure_time_use(bool on) {
  if (on)
    for (auto& sum : nanoseconds) sum = 0;
  measuring = on;
}

bool measuring_time_use() {
  return measuring.load(std::memory_order_relaxed);
}

double time_used(TimeUse part) {
  return static_cast<double>(nanoseconds[static_cast<std::size_t>(part)]) * 1e-9;
}

void TimeLaps::add(TimeUse part) {
  const auto now = Clock::now();
  nanoseconds[static_cast<std::size_t>(part)].fetch_add(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now - start_).count(), std::memory_order_relaxed);
  start_ = now;
}

}  // namespace heed
