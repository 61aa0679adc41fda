// Dropout while training, and the randomness it is drawn from.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/ops/elementwise.h"
#include "model/autograd.h"
#include "model/config.h"
#include "model/packing.h"

namespace heed::model {

// The randomness of one training update, for dropout and scheduled sampling. The same seed, update and sentence keys
// give the same numbers, however the batch is split. Streams are numbered with 32 bits, so the numbers begin to repeat
// after 53 million updates, or with more than 262,144 sentences per update.
struct TrainRandom {
  std::uint64_t seed = 0;
  std::uint32_t update = 0;
  std::span<const std::uint32_t> sentence_keys;  // one per sentence of the batch
};

// Where dropout acts; each site draws its own numbers.
enum class DropoutSite : std::uint32_t {
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

// Dropout for the packed rows of one batch. Without randomness (translation, validation) it does nothing.
class BatchDropout {
 public:
  BatchDropout() = default;
  // `random` may be null. The other arguments must outlive the object.
  BatchDropout(Arena& arena, const DropoutConfig& rates, const TrainRandom* random, const Packing& packing);

  // x:[n,*] holds the rows [row, row + n) of the batch. The sites of words drop whole rows.
  Var operator()(Tape& tape, Var x, DropoutSite site, Index row = 0, int layer = 0) const;
  // One mask for all steps of a sentence (Gal and Ghahramani 2016), [B,hidden] in the packing's order, for the states
  // that a layer reads; absent if nothing is dropped.
  Var state_mask(Tape& tape, DropoutSite site, int layer, Index hidden) const;

 private:
  autograd::Dropout at(DropoutSite site, int layer) const;

  const DropoutConfig* rates_ = nullptr;
  const TrainRandom* random_ = nullptr;
  std::size_t sentences_ = 0;
  std::span<const std::uint32_t> row_keys_;
};

}  // namespace heed::model
