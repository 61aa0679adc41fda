// The directory of `heed demo`: it holds the pocket corpus, a run and the pictures of its attention, and nothing else.
#pragma once

#include <cstddef>
#include <span>

#include "train/run.h"

namespace heed::cli {

inline constexpr std::ptrdiff_t kDemoMostPairs = 1'000'000;
inline constexpr std::size_t kDemoPictures = 3;

// UsageError if the demo's directory contains anything but a demo that trained with one of the configurations, whatever
// its number of pairs and epochs and whether it was finished or interrupted. A directory that is empty or does not
// exist is fine.
void check_demo_directory(const train::RunFiles& files, std::span<const train::RunConfig> configs);

}  // namespace heed::cli
