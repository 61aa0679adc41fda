#include "train/rank_times.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

namespace heed::train {
namespace {

constexpr double kDecay = 0.95;             // per update, so that about the last 20 updates count
constexpr std::int64_t kMinUpdates = 20;    // before a straggler is reported
constexpr double kStragglerSlowdown = 1.5;  // smaller differences are common between equal machines

std::string host_name() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

RankTimes::RankTimes(Communicator& communicator) : communicator_(communicator) {
  if (communicator.size() == 1) return;
  hosts_ = gather(communicator, host_name());
  seconds_.resize(hosts_.size());
  reported_.resize(hosts_.size());
}

std::optional<JobSpeed> RankTimes::add(double compute_seconds) {
  if (communicator_.size() == 1) return {};
  const auto bytes = std::as_writable_bytes(std::span(&compute_seconds, 1));
  if (!communicator_.is_main()) {
    communicator_.send(0, bytes);
    return {};
  }
  ++updates_;
  for (int rank = 0; rank < communicator_.size(); ++rank) {
    if (rank > 0) communicator_.receive(rank, bytes);
    double& seconds = seconds_[static_cast<std::size_t>(rank)];
    seconds = kDecay * seconds + compute_seconds;
  }
  total_seconds_ = kDecay * total_seconds_ + since_update_.seconds();
  since_update_.restart();
  const auto slowest = std::ranges::max_element(seconds_);
  std::vector<double> sorted = seconds_;
  std::ranges::sort(sorted);
  const double mean = std::accumulate(seconds_.begin(), seconds_.end(), 0.0) / static_cast<double>(seconds_.size());
  return JobSpeed{.ranks = communicator_.size(),
                  .efficiency = std::min(1.0, mean / std::max(total_seconds_, 1e-9)),
                  .slowest = static_cast<int>(slowest - seconds_.begin()),
                  .slowdown = *slowest / std::max(sorted[(sorted.size() - 1) / 2], 1e-9)};
}

std::string RankTimes::find_straggler(const JobSpeed& speed) {
  const auto rank = static_cast<std::size_t>(speed.slowest);
  if (updates_ < kMinUpdates || speed.slowdown < kStragglerSlowdown || reported_[rank]) return "";
  reported_[rank] = true;
  return fmt::format(
      "rank {} on {} computes {:.1f} times as long as the median rank, and the others wait for it; is its machine "
      "slower, or busy with something else?",
      speed.slowest, hosts_[rank], speed.slowdown);
}

}  // namespace heed::train
