// Stretches of a corpus in which the sides have slipped apart and come together again: the lines are as many, but each
// fits its neighbor's translation better than its own. Guessed from the lengths of the lines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace heed::survey {

struct Shift {
  std::int64_t from = 0, to = 0;  // source lines from … to, counted from 1
  int lines = 0;                  // source line i fits target line i + lines
  bool operator==(const Shift&) const = default;
};

// The sides have as many lines, whose lengths are given (in characters). Shifts by up to five lines over at least ten
// are found. Time and memory grow with the lines (11 bytes per line).
std::vector<Shift> find_shifts(std::span<const std::uint32_t> source_lengths,
                               std::span<const std::uint32_t> target_lengths);

}  // namespace heed::survey
