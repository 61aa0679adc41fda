// Where the time of training goes, for reports of speed. Off until started: then every thread adds its time to the sum
// of the part it works on. Thread-safe; a lap costs a clock read while profiling, a load otherwise.
#pragma once

#include <chrono>
#include <cstdint>

namespace heed::kernels {

struct Profile {
  enum Part : std::uint8_t { encoder, decoder, output, backward, update, matmul };  // matmul is also in the others

  static void start();  // from zero
  static void stop();
  static bool running();
  // Seconds of all threads together since the start.
  static double seconds(Part part);
};

// ProfileTimer timer; encode(); timer.lap(Profile::encoder); decode(); timer.lap(Profile::decoder);
class ProfileTimer {
 public:
  ProfileTimer() : on_(Profile::running()) {
    if (on_) start_ = Clock::now();
  }
  // Adds the time since the last lap (or the beginning) to a part.
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
