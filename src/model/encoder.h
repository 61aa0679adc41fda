// The encoder: embeddings and recurrent layers over the source. N packed source words, De encoder output size: hidden
// units times directions.
#pragma once

#include <array>
#include <vector>

#include "model/autograd.h"
#include "model/dropout.h"
#include "model/recurrent.h"
#include "tensor/ids.h"

namespace heed::model {

// What attention reads.
struct SourceStates {
  Var states;         // [N,De], sentence by sentence
  Var keys;           // [N,*] computed from the states once per sentence; absent if the score reads the states
  Var last;           // [sentences,De] the top layer's last states, forward before backward
  Index longest = 0;  // S
};

// Which sentence each row of a step belongs to.
struct SourceRows {
  Ids sentence;
  RowRanges spans;

  SourceRows first(Index n) const {
    const auto count = static_cast<std::size_t>(n);
    return {sentence.first(count), {spans.begin.first(count), spans.length.first(count)}};
  }
};

struct Encoded {
  SourceStates source;
  // The last states of every layer, [sentences,H] per direction, in the caller's order of sentences.
  std::array<std::array<CellState, 2>, kMaxLayers> last;
  // All sentences, in the caller's order.
  SourceRows rows;
};

class Encoder {
 public:
  Encoder(const ModelConfig& config, ParameterId embedding, Parameters& parameters);

  // Source sentences as ids, each ending in the end symbol.
  Encoded encode(Tape& tape, std::span<const Ids> sentences, const TrainRandom* random) const;

 private:
  const ModelConfig& config_;
  ParameterId embedding_;
  std::vector<std::array<CellParameters, 2>> layers_;
};

}  // namespace heed::model
