#include "model/encoder.h"

namespace heed::model {

Encoder::Encoder(const ModelConfig& config, ParameterId embedding, Parameters& parameters)
    : config_(config), embedding_(embedding) {
  const EncoderConfig& c = config.encoder;
  Index input = c.embedding_size();
  for (int layer = 0; layer < c.layers; ++layer) {
    auto& directions = layers_.emplace_back();
    for (int d = 0; d < c.directions(); ++d)
      directions[static_cast<std::size_t>(d)] =
          CellParameters::declare(parameters, "encoder.rnn", layer, d == 1, cell_kind(c.cell), input, c.hidden);
    input = c.output_size();
  }
}

Encoded Encoder::encode(Tape& tape, std::span<const Ids> sentences, const TrainRandom* random) const {
  const EncoderConfig& c = config_.encoder;
  Arena& arena = tape.arena();
  const Packing packing = pack(arena, sentences);
  const auto keys =
      random != nullptr ? row_keys(arena, packing, random->sentence_keys) : std::span<const std::uint32_t>{};
  Var x =
      source_dropout(tape, embedding(tape, embedding_, packed_words(arena, packing, sentences)), config_, random, keys);
  // The first rows are every sentence's first word, so their keys can stand for the sentences.
  const auto sentence_keys = keys.first(random != nullptr ? sentences.size() : 0);

  Encoded encoded;
  for (int layer = 0; layer < c.layers; ++layer) {
    const auto k = static_cast<std::size_t>(layer);
    if (layer > 0 && random != nullptr)
      x = dropout(tape, x, dropout_at(*random, DropoutSite::encoder_layer, layer, config_.dropout.layers), keys);
    const Var states = tape.variable(packing.rows, c.output_size());
    for (int d = 0; d < c.directions(); ++d) {
      const auto site = d == 0 ? DropoutSite::encoder_state : DropoutSite::encoder_state_reverse;
      const Var mask = state_mask(tape, config_, random, site, layer, c.hidden, sentence_keys);
      encoded.last[k][static_cast<std::size_t>(d)] =
          run_layer(tape, layers_[k][static_cast<std::size_t>(d)], packing, x,
                    states.slice_columns(d * c.hidden, c.hidden), {.reverse = d == 1, .mask = mask});
    }
    x = c.residual && layer > 0 && x.columns() == states.columns() ? add(tape, states, x) : states;
  }

  // From step after step to sentence after sentence.
  const auto index = arena.array<Id>(static_cast<std::size_t>(packing.rows));
  const auto sentence = arena.array<Id>(sentences.size());
  const auto begin = arena.array<Id>(sentences.size()), length = arena.array<Id>(sentences.size());
  Id row = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentence[i] = static_cast<Id>(i);
    begin[i] = row;
    length[i] = static_cast<Id>(sentences[i].size());
    row += length[i];
  }
  for (Index b = 0; b < packing.batch; ++b) {
    const auto place = static_cast<std::size_t>(b);
    for (Id t = 0; t < packing.length[place]; ++t)
      index[static_cast<std::size_t>(begin[static_cast<std::size_t>(packing.order[place])] + t)] = packing.row(b, t);
  }
  encoded.source.states = gather_rows(tape, x, index);
  const auto& top = encoded.last[static_cast<std::size_t>(c.layers - 1)];
  encoded.source.last = c.bidirectional ? concat(tape, {top[0].h, top[1].h}) : top[0].h;
  encoded.source.longest = packing.steps;
  encoded.rows = {sentence, {begin, length}};
  return encoded;
}

}  // namespace heed::model
