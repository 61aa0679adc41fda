#include "model/dropout.h"

namespace heed::model {

autograd::Dropout dropout_at(const TrainRandom& random, DropoutSite site, int layer, double rate) {
  const auto sites = static_cast<std::uint32_t>(DropoutSite::count);
  const std::uint32_t index = static_cast<std::uint32_t>(layer) * sites + static_cast<std::uint32_t>(site);
  return {.rate = rate, .random = Random(random.seed, Stream::dropout, random.update * sites * kMaxLayers + index)};
}

namespace {

Var word_dropout(Tape& tape, Var x, autograd::Dropout words, const autograd::Dropout& numbers,
                 std::span<const std::uint32_t> row_keys) {
  words.whole_rows = true;
  return dropout(tape, dropout(tape, x, words, row_keys), numbers, row_keys);
}

}  // namespace

Var source_dropout(Tape& tape, Var x, const ModelConfig& config, const TrainRandom* random,
                   std::span<const std::uint32_t> row_keys) {
  if (random == nullptr) return x;
  return word_dropout(tape, x, dropout_at(*random, DropoutSite::source_words, 0, config.dropout.source_words),
                      dropout_at(*random, DropoutSite::source_embedding, 0, config.dropout.source_embedding), row_keys);
}

Var target_dropout(Tape& tape, Var x, const ModelConfig& config, const TrainRandom* random,
                   std::span<const std::uint32_t> row_keys) {
  if (random == nullptr) return x;
  return word_dropout(tape, x, dropout_at(*random, DropoutSite::target_words, 0, config.dropout.target_words),
                      dropout_at(*random, DropoutSite::target_embedding, 0, config.dropout.target_embedding), row_keys);
}

Var state_mask(Tape& tape, const ModelConfig& config, const TrainRandom* random, DropoutSite site, int layer,
               Index hidden, std::span<const std::uint32_t> keys) {
  if (random == nullptr) return {};
  return dropout_mask(tape, hidden, dropout_at(*random, site, layer, config.dropout.recurrent), keys);
}

}  // namespace heed::model
