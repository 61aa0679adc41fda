// The clock of a run: the time since its start, without interruptions; since the last log line; since the last
// checkpoint.
#pragma once

#include <utility>

#include "base/stopwatch.h"

namespace heed::train {

class RunClock {
 public:
  // `seconds_before`: the time that a resumed run had taken before.
  void start(double seconds_before) {
    before_ = line_ = seconds_before;
    since_start_.restart();
    since_checkpoint_.restart();
  }
  double seconds() const { return before_ + since_start_.seconds(); }

  // Seconds since the previous call or start().
  double restart_line() {
    const double from = std::exchange(line_, seconds());
    return line_ - from;
  }

  double since_checkpoint() const { return since_checkpoint_.seconds(); }
  void restart_checkpoint() { since_checkpoint_.restart(); }

 private:
  Stopwatch since_start_, since_checkpoint_;
  double before_ = 0, line_ = 0;
};

}  // namespace heed::train
