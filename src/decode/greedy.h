// Greedy decoding: the likeliest word at every step. Ids in, ids out.
#pragma once

#include <vector>

#include "model/model.h"

namespace heed {

struct Translation {
  std::vector<Id> words;  // the end symbol included where it was reached
  double score = 0;       // the sum of the words' log-probabilities
  // attention[t * width + s], rows by word; empty where the model has none. The width is the source's length, or
  // attention.max_length for location attention.
  std::vector<float> attention;
  Index width = 0;
};

// The memory of a decoder: kept between calls, so that repeated decoding asks nothing of the system for its tensors.
// One a thread.
class Greedy {
 public:
  explicit Greedy(const Model& model) : model_(model), source_(model.parameters(), nullptr) {}

  // One translation a source, each at most max_length words. Sentences that have ended leave the batch.
  std::vector<Translation> translate(std::span<const Ids> sources, Index max_length);

 private:
  const Model& model_;
  Tape source_;  // what the encoder computed, while a batch lasts
  // The state after a step lives on that step's tape while the next one is computed on the other.
  Tape steps_[2] = {Tape(model_.parameters(), nullptr), Tape(model_.parameters(), nullptr)};
};

}  // namespace heed
