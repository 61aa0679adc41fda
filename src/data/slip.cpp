// Where two sides of a corpus went out of step.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "data/corpus.h"

namespace heed::data {

std::vector<float> log_lengths(std::span<const std::uint32_t> lengths) {
  constexpr float kSmoothing = 5;
  std::vector<float> logs;
  logs.reserve(lengths.size());
  for (const std::uint32_t length : lengths) logs.push_back(std::log(static_cast<float>(length) + kSmoothing));
  return logs;
}

std::int64_t find_slip(std::span<const std::uint32_t> source_lengths, std::span<const std::uint32_t> target_lengths) {
  // After d skipped lines of the longer side, its line i + d meets line i of the shorter side. cost[d] is the least
  // cost of that, first[d] the line at which that path left d = 0. If more than a hundred lines are missing, all of
  // them are skipped at once.
  const bool source_longer = source_lengths.size() > target_lengths.size();
  const auto longer = log_lengths(source_longer ? source_lengths : target_lengths);
  const auto shorter = log_lengths(source_longer ? target_lengths : source_lengths);
  const std::size_t difference = longer.size() - shorter.size();
  const std::size_t stride = difference <= 100 ? 1 : difference, states = difference / stride + 1;

  constexpr float kMismatch = 2, kSkip = 1;  // in units of the logarithm of a length ratio
  const auto mean = [](const std::vector<float>& logs) {
    return std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(std::max<std::size_t>(logs.size(), 1));
  };
  const auto usual = static_cast<float>(mean(longer) - mean(shorter));

  std::vector<double> cost(states, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> first(states, shorter.size());
  cost[0] = 0;
  const auto skip = [&](std::size_t line) {
    for (std::size_t d = 1; d < states; ++d) {
      if (cost[d - 1] + kSkip >= cost[d]) continue;
      cost[d] = cost[d - 1] + kSkip;
      first[d] = d == 1 ? line : first[d - 1];
    }
  };
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    skip(i);
    for (std::size_t d = 0; d < states; ++d)
      cost[d] += std::min(std::abs(longer[i + d * stride] - shorter[i] - usual), kMismatch);
  }
  skip(shorter.size());
  return static_cast<std::int64_t>(first.back()) + 1;
}

}  // namespace heed::data
