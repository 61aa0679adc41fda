// The edits of TER (Snover et al., 2006), counted as in Tercom and sacreBLEU: words inserted, deleted or replaced, and
// blocks of words shifted, which a greedy search finds. Words are numbers; equal numbers are equal words.
#pragma once

#include <cstdint>
#include <span>

namespace heed::metrics {

// The number of edits that turn the hypothesis into the reference. Memory is linear in the lengths; time is linear in
// them for each of at most 1,000 trials. Thread-safe.
std::int64_t count_ter_edits(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference);

}  // namespace heed::metrics
