// Where the time of training goes, for reports of speed. Off until asked for: then every thread adds its time to the
// sum of the part it works on. Thread-safe; costs a clock read a lap where on, a load where off.
#pragma once

#include <chrono>
#include <cstdint>

namespace heed {

enum class TimeUse : std::uint8_t {
  encoder,
  decoder,
  output,
  backward,
  update,
  multiply
};  // multiply is in the others

// Starts from zero, or stops.
void measure_time_use(bool on);
bool measuring_time_use();
// Seconds of all threads together since the start.
double time_used(TimeUse part);

// TimeLaps laps; encode(); laps.end(TimeUse::encoder); decode(); laps.end(TimeUse::decoder);
class TimeLaps {
 public:
  TimeLaps() : on_(measuring_time_use()) {
    if (on_) start_ = Clock::now();
  }
  // Adds the time since the last end (or the beginning) to a part.
  void end(TimeUse part) {
    if (on_) add(part);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void add(TimeUse part);

  bool on_;
  Clock::time_point start_;
};

}  // namespace heed
