// What looks wrong in a run's text, in a few lines for a person, before time is spent on it.
#pragma once

#include <string>
#include <vector>

#include "train/config.h"

namespace heed::train {

// A sentence for each kind of problem; none if nothing was found, if the text came from standard input, or if
// it is so large that looking would take long. `pairs`: how many there are to train on.
std::vector<std::string> data_warnings(const RunFiles& files, std::size_t pairs);

}  // namespace heed::train
