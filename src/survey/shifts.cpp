#include "survey/shifts.h"

#include <array>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "data/corpus.h"

namespace heed::survey {

namespace {

constexpr int kMaxShift = 5, kStates = 2 * kMaxShift + 1;
constexpr std::int64_t kMinLines = 10;
// In units of the logarithm of a length ratio. A change of the shift must pay off over about eight lines that fit
// badly. A shift costs a little on every line, so that lines that fit anywhere are not shifted.
constexpr float kMismatch = 2, kChange = 6, kBias = 0.03F;

}  // namespace

std::vector<Shift> find_shifts(std::span<const std::uint32_t> source_lengths,
                               std::span<const std::uint32_t> target_lengths) {
  check(source_lengths.size() == target_lengths.size(), "find_shifts: {} source and {} target lengths",
        source_lengths.size(), target_lengths.size());
  const auto lines = static_cast<std::int64_t>(source_lengths.size());
  if (lines < kMinLines) return {};
  const std::vector<float> source = data::log_lengths(source_lengths), target = data::log_lengths(target_lengths);
  std::vector<float> differences(source.size());
  std::ranges::transform(source, target, differences.begin(), std::minus<>());
  const float usual = median(differences);

  // Viterbi over the shift of each line; from[i][s] is the state of line i - 1 on the best path to state s of line i.
  std::array<double, kStates> cost;
  cost.fill(kChange);
  cost[kMaxShift] = 0;
  std::vector<std::array<std::int8_t, kStates>> from(source.size());
  for (std::int64_t i = 0; i < lines; ++i) {
    const auto best = std::ranges::min_element(cost);
    const double change = *best + kChange;
    const auto best_state = static_cast<std::int8_t>(best - cost.begin());
    for (int s = 0; s < kStates; ++s) {
      const auto state = static_cast<std::size_t>(s);
      from[static_cast<std::size_t>(i)][state] = static_cast<std::int8_t>(change < cost[state] ? best_state : s);
      cost[state] = std::min(cost[state], change);
      const std::int64_t other = i + s - kMaxShift;
      const bool inside = other >= 0 && other < lines;
      const float difference =
          inside ? source[static_cast<std::size_t>(i)] - target[static_cast<std::size_t>(other)] - usual : kMismatch;
      cost[state] += std::min(std::abs(difference), kMismatch) + (s == kMaxShift ? 0 : kBias);
    }
  }

  std::vector<Shift> shifts;
  auto state = static_cast<int>(std::ranges::min_element(cost) - cost.begin());
  std::int64_t end = lines;
  for (std::int64_t i = lines - 1; i >= 0; --i) {
    const int before = i > 0 ? from[static_cast<std::size_t>(i)][static_cast<std::size_t>(state)] : kStates;
    if (before == state) continue;
    if (state != kMaxShift && end - i >= kMinLines) shifts.push_back({i + 1, end, state - kMaxShift});
    end = i;
    state = before;
  }
  std::ranges::reverse(shifts);
  return shifts;
}

}  // namespace heed::survey
