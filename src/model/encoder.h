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
enum class DropoutPlace : std::uint32_t {
  source_embedding,
  target_embedding,
  source_words,
  target_words,
  readout,
  encoder_layer,
  decoder_layer,
  encoder_state,
  encoder_state_reverse,
  decoder_state,
  count
};
Dropout dropout_at(const Noise& noise, DropoutPlace place, int layer, double rate);
// Of words: whole ones, then single numbers of the rest. x:[N,E]; keys name its rows.
Var source_dropout(Tape& tape, Var x, const ModelConfig& config, const Noise* noise,
                   std::span<const std::uint32_t> keys);
Var target_dropout(Tape& tape, Var x, const ModelConfig& config, const Noise* noise,
                   std::span<const std::uint32_t> keys);
// One mask for all steps of a sentence (Gal and Ghahramani 2016), [sentences,H], for the states that a layer reads;
// absent where nothing is dropped. `keys` name the sentences in the order of their rows.
Var state_mask(Tape& tape, const ModelConfig& config, const Noise* noise, DropoutPlace place, int layer, Index hidden,
               std::span<const std::uint32_t> keys);

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
