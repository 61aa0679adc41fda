// Measures how long the ranks of a run compute: which fraction of the time is spent computing, and which rank the
// others wait for. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "train/communicator.h"

namespace heed::train {

// Averages over the last updates.
struct JobSpeed {
  int ranks = 1;
  double efficiency = 1;  // computing time / wall time, averaged over ranks
  int slowest = 0;        // the rank that computes longest
  double slowdown = 1;    // its computing time / that of the median rank
};

class RankTimes {
 public:
  // All ranks must create one, and call add() after every update. The communicator must outlive it.
  explicit RankTimes(Communicator& communicator);
  // `compute_seconds`: how long this rank computed. Returns a value only on rank 0 of several.
  std::optional<JobSpeed> add(double compute_seconds);
  // Ignores the time since the last add(), for example after a validation.
  void restart() { since_update_.restart(); }
  // On rank 0: a sentence if a rank is much slower than the others, once per rank; otherwise empty.
  std::string find_straggler(const JobSpeed& speed);

 private:
  Communicator& communicator_;
  Stopwatch since_update_;
  // On rank 0:
  std::vector<std::string> hosts_;  // host name per rank
  std::vector<double> seconds_;     // computing time per rank, an exponentially decaying sum over updates
  double total_seconds_ = 0;        // wall time, decaying likewise
  std::int64_t updates_ = 0;
  std::vector<bool> reported_;  // per rank
};

}  // namespace heed::train
