#include "survey/shifts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"

namespace heed::survey {

namespace {

constexpr int kFurthest = 5, kStates = 2 * kFurthest + 1;
constexpr std::int64_t kShortest = 10;
// In units of the logarithm of a length ratio. A change of the shift must be worth about eight lines that fit badly;
// a shift costs a little on every line, so that lines that fit anywhere stay where they are.
constexpr float kSoftener = 5, kMismatch = 2, kChange = 6, kBias = 0.03F;

std::vector<float> logarithms(std::span<const std::uint32_t> lengths) {
  std::vector<float> logs;
  logs.reserve(lengths.size());
  for (const std::uint32_t length : lengths) logs.push_back(std::log(static_cast<float>(length) + kSoftener));
  return logs;
}

float usual_difference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  const auto middle = differences.begin() + static_cast<std::ptrdiff_t>(differences.size() / 2);
  std::nth_element(differences.begin(), middle, differences.end());
  return *middle;
}

}  // namespace

std::vector<Shift> find_shifts(std::span<const std::uint32_t> source_lengths,
                               std::span<const std::uint32_t> target_lengths) {
  check(source_lengths.size() == target_lengths.size(), "find_shifts: {} source and {} target lengths",
        source_lengths.size(), target_lengths.size());
  const auto lines = static_cast<std::int64_t>(source_lengths.size());
  if (lines < kShortest) return {};
  const std::vector<float> source = logarithms(source_lengths), target = logarithms(target_lengths);
  const float usual = usual_difference(source, target);

  // Viterbi over the shift of each line; from[i][s] is the state of line i - 1 on the best way to state s of line i.
  std::array<double, kStates> cost;
  cost.fill(kChange);
  cost[kFurthest] = 0;
  std::vector<std::array<std::int8_t, kStates>> from(source.size());
  for (std::int64_t i = 0; i < lines; ++i) {
    const auto best = std::ranges::min_element(cost);
    const double change = *best + kChange;
    const auto best_state = static_cast<std::int8_t>(best - cost.begin());
    for (int s = 0; s < kStates; ++s) {
      const auto state = static_cast<std::size_t>(s);
      from[static_cast<std::size_t>(i)][state] = static_cast<std::int8_t>(change < cost[state] ? best_state : s);
      cost[state] = std::min(cost[state], change);
      const std::int64_t other = i + s - kFurthest;
      const bool inside = other >= 0 && other < lines;
      const float difference =
          inside ? source[static_cast<std::size_t>(i)] - target[static_cast<std::size_t>(other)] - usual : kMismatch;
      cost[state] += std::min(std::abs(difference), kMismatch) + (s == kFurthest ? 0 : kBias);
    }
  }

  std::vector<Shift> shifts;
  auto state = static_cast<int>(std::ranges::min_element(cost) - cost.begin());
  std::int64_t end = lines;
  for (std::int64_t i = lines - 1; i >= 0; --i) {
    const int before = i > 0 ? from[static_cast<std::size_t>(i)][static_cast<std::size_t>(state)] : kStates;
    if (before == state) continue;
    if (state != kFurthest && end - i >= kShortest) shifts.push_back({i + 1, end, state - kFurthest});
    end = i;
    state = before;
  }
  std::ranges::reverse(shifts);
  return shifts;
}

}  // namespace heed::survey
