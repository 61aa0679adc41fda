#include "kernels/profile.h"

#include <gtest/gtest.h>

#include <thread>

namespace heed::kernels {
namespace {

void sleep_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Profile, SumsTheLapsOfAllThreadsWhileProfiling) {
  ProfileTimer before;
  Profile::start();
  before.lap(Profile::update);
  EXPECT_EQ(Profile::seconds(Profile::update), 0) << "the timer was created before profiling began";
  const auto work = [] {
    ProfileTimer timer;
    sleep_a_little();
    timer.lap(Profile::encoder);
    sleep_a_little();
    sleep_a_little();
    timer.lap(Profile::decoder);
  };
  std::thread other(work);
  work();
  other.join();
  Profile::stop();
  EXPECT_GE(Profile::seconds(Profile::encoder), 0.010);
  EXPECT_GE(Profile::seconds(Profile::decoder), 0.020);
  EXPECT_EQ(Profile::seconds(Profile::matmul), 0);
  const double measured = Profile::seconds(Profile::encoder);
  work();
  EXPECT_EQ(Profile::seconds(Profile::encoder), measured);
  Profile::start();
  EXPECT_EQ(Profile::seconds(Profile::encoder), 0);
  Profile::stop();
}

}  // namespace
}  // namespace heed::kernels
