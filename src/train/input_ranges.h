// What `heed quantize` needs from training: the ranges of a model's activations on a sample of the training pairs.
#pragma once

#include "data/examples.h"
#include "model/int8_model.h"

namespace heed::train {

// Teacher-forced, on evenly spaced pairs. Takes a fraction of a second, and depends only on its arguments.
model::InputRanges sample_input_ranges(const model::Model& model, const data::ExampleStore& examples);

}  // namespace heed::train
