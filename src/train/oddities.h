// What looks odd in a run's text, in a few lines for a person, before time is spent on it.
#pragma once

#include <string>
#include <vector>

#include "train/config.h"

namespace heed {

// A sentence for each kind of problem; none where nothing was found, where the text came from standard input, or where
// it is so large that looking would take long. `pairs`: how many there are to train on.
std::vector<std::string> find_oddities(const RunFiles& files, std::size_t pairs);

}  // namespace heed
