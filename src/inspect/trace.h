// A decoder watched while it writes a given translation: every number that a picture of it needs. Ids in, plain numbers
// out. S source length, De encoder output size, Hd decoder size, E embedding, R readout.
#pragma once

#include <vector>

#include "search/search.h"

namespace heed {

struct DecoderTrace {
  std::vector<std::vector<float>> encoder;  // [S][De]
  std::vector<TraceStep> steps;             // one per word of the translation
};

// Runs the model over `target` (the end symbol included if it was reached) and notes what it computes. At most
// `choices` of the likeliest words per step. Errors as for Model::encode, ShapeError for target ids out of range.
DecoderTrace trace_decoder(const Model& model, Ids source, Ids target, Index choices);

}  // namespace heed
