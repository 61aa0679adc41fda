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
  const BatchDropout dropout(arena, config_.dropout, random, packing);
  Var x = embedding(tape, embedding_, packed_words(arena, packing, sentences));
  x = dropout(tape, x, DropoutSite::source_words);
  x = dropout(tape, x, DropoutSite::source_embedding);

  Encoded encoded;
  for (int layer = 0; layer < c.layers; ++layer) {
    const auto k = static_cast<std::size_t>(layer);
    if (layer > 0) x = dropout(tape, x, DropoutSite::encoder_layer, 0, layer);
    const Var states = tape.variable(packing.rows, c.output_size());
    for (int d = 0; d < c.directions(); ++d) {
      const auto site = d == 0 ? DropoutSite::encoder_state : DropoutSite::encoder_state_reverse;
      const LayerRun run{.reverse = d == 1, .mask = dropout.state_mask(tape, site, layer, c.hidden)};
      encoded.last[k][static_cast<std::size_t>(d)] = run_layer(tape, layers_[k][static_cast<std::size_t>(d)], packing,
                                                               x, states.slice_columns(d * c.hidden, c.hidden), run);
    }
    x = c.residual && layer > 0 && x.columns() == states.columns() ? add(tape, states, x) : states;
  }

  // From rows step by step to rows sentence by sentence.
  const auto index = arena.array<Id>(static_cast<std::size_t>(packing.rows));
  const auto sentence = arena.array<Id>(sentences.size());
  const auto begin = arena.array<Id>(sentences.size()), length = arena.array<Id>(sentences.size());
  Id words = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    sentence[i] = static_cast<Id>(i);
    begin[i] = words;
    length[i] = static_cast<Id>(sentences[i].size());
    words += length[i];
  }
  packing.for_each_row([&](std::size_t t, std::size_t b, std::size_t row) {
    index[static_cast<std::size_t>(begin[static_cast<std::size_t>(packing.order[b])]) + t] = static_cast<Id>(row);
  });
  encoded.source.states = gather_rows(tape, x, index);
  const auto& top = encoded.last[static_cast<std::size_t>(c.layers - 1)];
  encoded.source.last = c.bidirectional ? concat(tape, {top[0].h, top[1].h}) : top[0].h;
  encoded.source.longest = packing.steps;
  encoded.rows = {sentence, {begin, length}};
  return encoded;
}

}  // namespace heed::model
