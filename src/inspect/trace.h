// A decoder watched while it writes a given translation: every number that a picture of it needs. Ids in, plain numbers
// out. S source length, De encoder output size, Hd decoder size, E embedding, R readout.
#pragma once

#include <vector>

#include "model/model.h"

namespace heed {

struct DecoderTrace {
  struct Choice {
    Id word = 0;
    double probability = 0;
  };
  struct Step {
    Id input = 0;                        // the word read
    Choice written;                      // the word given for this step
    std::vector<Choice> choices;         // the likeliest words, best first
    std::vector<float> embedding;        // [E] of the word read
    std::vector<float> before, state;    // [Hd] the top layer's state before and after the cell
    std::vector<float> scores, weights;  // [S], empty without attention
    std::vector<float> context;          // [De], empty without attention
    std::vector<float> readout;          // [R] what the output layer reads
  };
  std::vector<std::vector<float>> encoder;  // [S][De]
  std::vector<Step> steps;                  // one a word of the translation
};

// Runs the model over `target` (the end symbol included, where it was reached) and notes what it computes. At most
// `choices` of the likeliest words a step. Errors as for Model::encode, ShapeError for target ids out of range.
DecoderTrace trace_decoder(const Model& model, Ids source, Ids target, Index choices);

}  // namespace heed
