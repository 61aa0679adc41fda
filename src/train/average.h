// Averaging the parameters of several moments of a run, kept as files meanwhile.
#pragma once

#include <string>
#include <vector>

#include "autograd/parameters.h"

namespace heed::train {

// Written whole or not at all.
void save_parameters(const std::string& path, const autograd::Parameters& parameters);

// Fills `parameters` with the mean over the files. InputError if one is missing, damaged or does not fit.
void average_parameters(const autograd::Parameters& parameters, const std::vector<std::string>& files);

}  // namespace heed::train
