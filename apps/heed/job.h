// The processes that train one model together, the ranks of a job: this process alone, or those that mpirun started.
// The program heed has job_single.cpp, heed-mpi has job_mpi.cpp, which is the only file that uses MPI.
#pragma once

#include <string>
#include <vector>

#include "train/communicator.h"

namespace heed::cli {

// What mpirun says about the job in the environment; size 1 without it.
struct Launch {
  int size = 1, rank = 0;
};
Launch launch_from_environment();

// To be called before everything else with the arguments, of which the first is the program. If mpirun started several
// processes and the command trains, heed becomes heed-mpi, and heed-mpi connects the processes. InputError if there is
// no heed-mpi beside heed, or if it is not the same on all machines.
void join_job(const std::vector<std::string>& arguments);
// How the ranks communicate; single_process() unless join_job() joined a job.
train::Communicator& job();
// After success: returns once all ranks have called it.
void leave_job();
// Ends all ranks of the job, this one too if there are others.
void abort_job(int code) noexcept;

// Whether the command of these arguments trains.
bool trains(const std::vector<std::string>& arguments);
// A failure that all ranks notice is reported by rank 0 alone: before they report one, the others wait for a moment, in
// which rank 0 ends the job. Returns what the message starts with, "rank 3: " or nothing.
std::string rank_prefix_after_main_rank() noexcept;

}  // namespace heed::cli
