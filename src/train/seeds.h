// Several runs that differ only in their seed, one after the other: run number n has the seed training.seed + n - 1 and
// the directory OUT/seed-n, and is byte-identical to a single run with that seed. OUT/seeds.json records how many there
// are and, once all are finished, the mean and standard deviation of their best validations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "train/run.h"
#include "train/run_list.h"

namespace heed::train {

inline constexpr int kMaxSeeds = 1000;

// OUT/seed-NUMBER
std::string seed_directory(const std::string& out, int number);
// The directories OUT/seed-1, … of the runs that were started in OUT; empty if there are none.
std::vector<std::string> seed_directories(const std::string& out);
// The number of seeds that OUT/seeds.json asks for; 0 if there is no such file. InputError if it is damaged.
int seed_count(const std::string& out);
// UsageError if OUT contains a single run.
void check_no_single_run(const std::string& out);
// The files that only these runs write.
std::vector<std::string> seed_files(const std::string& out);

class SeedRuns {
 public:
  // `files.out` is OUT, `config` that of the first run. Writes seeds.json; Start::overwrite removes the earlier runs
  // first. UsageError if OUT contains a single run, or runs that `start` does not allow. With several ranks, each makes
  // the same calls, and only rank 0 uses the directories.
  SeedRuns(RunConfig config, RunFiles files, int seeds, Start start, Communicator& communicator = single_process());

  int count() const { return seeds_; }
  std::string directory(int number) const;  // counted from 1
  RunResult train(int number, RunObserver& observer) const;

  // Call on rank 0 when all runs are finished. Writes seeds.json.
  std::map<std::string, MeanDeviation> finish() const;

 private:
  RunConfig config_;
  RunFiles files_;
  int seeds_;
  Start start_;
  Communicator& communicator_;
};

}  // namespace heed::train
