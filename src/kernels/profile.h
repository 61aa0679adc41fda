// How much time each part of training takes, for speed reports. After start(), every thread adds its time to the part
// it works on. Thread-safe. A lap costs one clock read while profiling and one load otherwise.
#pragma once

#include <chrono>
#include <cstdint>

namespace heed::kernels {

struct Profile {
  enum Part : std::uint8_t { encoder, decoder, output, backward, update, matmul };  // the others include matmul

  static void start();  // sets all sums to zero
  static void stop();
  static bool running();
  // Seconds since start(), summed over all threads.
  static double seconds(Part part);
};

// ProfileTimer timer; encode(); timer.lap(Profile::encoder); decode(); timer.lap(Profile::decoder);
class ProfileTimer {
 public:
  ProfileTimer() : on_(Profile::running()) {
    if (on_) start_ = Clock::now();
  }
  // Adds the time since the previous lap, or since construction, to a part.
  void lap(Profile::Part part) {
    if (on_) add(part);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void add(Profile::Part part);

  bool on_;
  Clock::time_point start_;
};

}  // namespace heed::kernels
