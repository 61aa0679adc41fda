// The edits of TER (Snover et al., 2006), counted as sacreBLEU does after Tercom: words inserted, deleted or replaced,
// and blocks of words shifted, found greedily. Words are numbers; equal numbers are equal words.
#pragma once

#include <cstdint>
#include <span>

namespace heed::metrics {

// How many edits turn the hypothesis into the reference. Memory is linear in the lengths, time too apart from a bounded
// number of trials (1,000 per pair) that each take time linear in them. Thread-safe.
std::int64_t count_ter_edits(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference);

}  // namespace heed::metrics
