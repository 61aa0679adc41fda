// The encoder: embedding and recurrent layers over the source. De: hidden units times directions.
#pragma once

#include <array>
#include <vector>

#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/config.h"
#include "model/recurrent.h"

namespace heed {

// Randomness of one training update; absent while translating or checking. Two runs with the same seed, update and
// sentence keys drop the same numbers, however the batch is split.
struct Noise {
  std::uint64_t seed = 0;
  std::uint32_t update = 0;
  std::span<const std::uint32_t> sentence_keys;  // one a sentence of the batch
};

// Where dropout strikes; each place draws numbers of its own.
enum class DropoutPlace : std::uint32_t { source_embedding, target_embedding, readout, encoder_layer, decoder_layer };
Dropout dropout_at(const Noise& noise, DropoutPlace place, int layer, double rate);

struct Encoded {
  SourceStates source;
  // The last states of every layer, [sentences,H] a direction, by the sentences' given order.
  std::array<std::array<CellState, 2>, kMaxLayers> last;
  // All sentences in the given order.
  SourceRows rows;
};

class Encoder {
 public:
  Encoder(const ModelConfig& config, ParameterId embedding, Parameters& parameters);

  // Source sentences as ids, each ending in the end symbol. UsageError for one longer than the attention can read.
  Encoded encode(Tape& tape, std::span<const Ids> sentences, const Noise* noise) const;

 private:
  const ModelConfig& config_;
  ParameterId embedding_;
  std::vector<std::array<CellParameters, 2>> layers_;
};

}  // namespace heed
