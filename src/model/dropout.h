// Dropout while training, and the randomness it is drawn from.
#pragma once

#include <cstdint>
#include <span>

#include "autograd/ops/elementwise.h"
#include "model/autograd.h"
#include "model/config.h"

namespace heed::model {

// The randomness of one training update: dropout and the coins of teacher forcing; absent while translating or
// checking. Two runs with the same seed, update and sentence keys draw the same numbers, however the batch is split.
// Numbers are told apart by 32 bits, so they begin to repeat after 53 million updates, or beyond 262,144 sentences per
// update.
struct TrainRandom {
  std::uint64_t seed = 0;
  std::uint32_t update = 0;
  std::span<const std::uint32_t> sentence_keys;  // one per sentence of the batch
};

// Where dropout acts; each site draws numbers of its own.
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
autograd::Dropout dropout_at(const TrainRandom& random, DropoutSite site, int layer, double rate);
// Of words: whole ones, then single numbers of the rest. x:[N,E]; row_keys:[N] name its rows.
Var source_dropout(Tape& tape, Var x, const ModelConfig& config, const TrainRandom* random,
                   std::span<const std::uint32_t> row_keys);
Var target_dropout(Tape& tape, Var x, const ModelConfig& config, const TrainRandom* random,
                   std::span<const std::uint32_t> row_keys);
// One mask for all steps of a sentence (Gal and Ghahramani 2016), [sentences,H], for the states that a layer reads;
// absent if nothing is dropped. `keys` name the sentences in the order of their rows.
Var state_mask(Tape& tape, const ModelConfig& config, const TrainRandom* random, DropoutSite site, int layer,
               Index hidden, std::span<const std::uint32_t> keys);

}  // namespace heed::model
