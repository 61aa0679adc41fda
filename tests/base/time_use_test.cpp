#include "base/time_use.h"

#include <gtest/gtest.h>

#include <thread>

namespace heed {
namespace {

void sleep_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(TimeUse, AddsUpLapsOfAllThreadsWhileMeasuring) {
  TimeLaps before;
  measure_time_use(true);
  before.end(TimeUse::update);
  EXPECT_EQ(time_used(TimeUse::update), 0) << "it began before measuring did";
  const auto work = [] {
    TimeLaps laps;
    sleep_a_little();
    laps.end(TimeUse::encoder);
    sleep_a_little();
    sleep_a_little();
    laps.end(TimeUse::decoder);
  };
  std::thread other(work);
  work();
  other.join();
  measure_time_use(false);
  EXPECT_GE(time_used(TimeUse::encoder), 0.010);
  EXPECT_GE(time_used(TimeUse::decoder), 0.020);
  EXPECT_EQ(time_used(TimeUse::multiply), 0);
  const double measured = time_used(TimeUse::encoder);
  work();
  EXPECT_EQ(time_used(TimeUse::encoder), measured);
  measure_time_use(true);
  EXPECT_EQ(time_used(TimeUse::encoder), 0);
  measure_time_use(false);
}

}  // namespace
}  // namespace heed
