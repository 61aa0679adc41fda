// Finds ranges of a corpus in which the sides are out of step: the numbers of lines agree, but each line fits the
// translation of a neighbor better than its own. Guessed from the lengths of the lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heed::survey {

struct Shift {
  std::int64_t from = 0, to = 0;  // first and last source line, counted from 1
  int lines = 0;                  // source line i fits target line i + lines
  bool operator==(const Shift&) const = default;
};

// Takes the length of each line in characters; both sides have the same number of lines. Finds shifts by at most five
// lines over at least ten lines. Time and memory are linear (11 bytes per line).
std::vector<Shift> find_shifts(std::span<const std::uint32_t> source_lengths,
                               std::span<const std::uint32_t> target_lengths);

// The upper median, which reorders the values; there must be at least one.
template <class T>
T median(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace heed::survey
