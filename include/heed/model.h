// Model files as data: the parameters of a model, for programs that compute with them elsewhere.
//
// A model file is a safetensors file whose tensors have the layout of PyTorch, so that reading it needs no heed.
#pragma once

#include <string>

#include "heed/error.h"

namespace heed {

// Writes a copy of a model (a file or a run directory) with other parameters: those of `weights`, a safetensors file
// with tensors of the same names and shapes, of the type F32, F16 or BF16. Vocabularies and settings are those of
// `model`. Writes the whole file `out` or nothing. Thread-safe.
HEED_API void write_model(const std::string& model, const std::string& weights, const std::string& out);

}  // namespace heed
