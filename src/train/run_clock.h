// The times of a run: since it began, interruptions left out; since the last log line; since the last checkpoint.
#pragma once

#include "base/stopwatch.h"

namespace heed::train {

class RunClock {
 public:
  // Starts, or goes on if the run has taken `seconds_before` already.
  void start(double seconds_before) {
    before_ = line_ = seconds_before;
    since_start_.restart();
    since_checkpoint_.restart();
  }
  double seconds() const { return before_ + since_start_.seconds(); }

  // Seconds of training between two log lines; validations do not count if end_validation() follows them.
  double end_line() {
    const double from = line_;
    line_ = seconds();
    return line_ - from;
  }
  void end_validation() { line_ = seconds(); }

  double since_checkpoint() const { return since_checkpoint_.seconds(); }
  void end_checkpoint() { since_checkpoint_.restart(); }

 private:
  Stopwatch since_start_, since_checkpoint_;
  double before_ = 0, line_ = 0;
};

}  // namespace heed::train
