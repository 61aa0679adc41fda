#include "kernels/profile.h"

#include <array>
#include <atomic>

namespace heed::kernels {
namespace {

std::atomic<bool> profiling = false;
std::array<std::atomic<std::int64_t>, Profile::matmul + 1> nanoseconds{};

}  // namespace

void Profile::start() {
  for (auto& sum : nanoseconds) sum = 0;
  profiling = true;
}

void Profile::stop() {
  profiling = false;
}

bool Profile::running() {
  return profiling.load(std::memory_order_relaxed);
}

double Profile::seconds(Part part) {
  return static_cast<double>(nanoseconds[part]) * 1e-9;
}

void ProfileTimer::add(Profile::Part part) {
  const auto now = Clock::now();
  nanoseconds[part].fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(now - start_).count(),
                              std::memory_order_relaxed);
  start_ = now;
}

}  // namespace heed::kernels
