// The program heed trains in one process and needs no MPI library. If mpirun started several, each of them replaces
// itself with heed-mpi.
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/error.h"
#include "base/system.h"
#include "job.h"

namespace heed::cli {

void join_job(const std::vector<std::string>& arguments) {
  const Launch own = launch_from_environment();
  if (own.size == 1 || !trains(arguments)) return;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").replace_filename("heed-mpi").string();
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw InputError(
      "{} processes were started together, but '{}', which lets them train one model, cannot be started ({}); build it "
      "with `make mpi`, or start one process without mpirun",
      own.size, program, system_message(errno));
}

train::Communicator& job() {
  return train::single_process();
}

void leave_job() {}

void abort_job(int /*code*/) noexcept {}

}  // namespace heed::cli
