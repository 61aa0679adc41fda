#include "job.h"

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fmt/format.h>

namespace heed::cli {
namespace {

// A number in the environment; `absent` if there is none.
int number_in(const char* variable, int absent) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return absent;
  int value = absent;
  std::from_chars(text, text + std::strlen(text), value);
  return value;
}

}  // namespace

Launch launch_from_environment() {
  // The names of Open MPI, then those of other launchers (MPICH, Slurm with PMI).
  for (const auto& [size, rank] :
       {std::pair("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), std::pair("PMI_SIZE", "PMI_RANK")})
    if (const int found = number_in(size, 1); found > 1) return {found, number_in(rank, 0)};
  return {};
}

bool trains(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) return false;
  return arguments[1] == "train" || (arguments[1] == "bench" && arguments.size() > 2 && arguments[2] == "train");
}

std::string rank_prefix_after_main_rank() noexcept {
  const Launch own = launch_from_environment();
  if (own.rank == 0) return "";
  std::this_thread::sleep_for(std::chrono::seconds(3));
  try {
    return fmt::format("rank {}: ", own.rank);
  } catch (...) {
    return "";
  }
}

}  // namespace heed::cli
