#include "model/decoder.h"

#include <algorithm>

namespace heed {

DecoderState DecoderState::slice_rows(Index from, Index count, int layers) const {
  DecoderState slice;
  for (int k = 0; k < layers; ++k)
    slice.cells[static_cast<std::size_t>(k)] = cells[static_cast<std::size_t>(k)].slice_rows(from, count);
  if (feed) slice.feed = feed.slice_rows(from, count);
  return slice;
}

DecoderState DecoderState::gather_rows(Tape& tape, Ids rows, int layers) const {
  const auto gather = [&](Var x) { return x ? heed::gather_rows(tape, x, rows) : Var{}; };
  DecoderState gathered;
  for (int k = 0; k < layers; ++k) {
    const CellState& cell = cells[static_cast<std::size_t>(k)];
    gathered.cells[static_cast<std::size_t>(k)] = {gather(cell.h), gather(cell.c)};
  }
  gathered.feed = gather(feed);
  return gathered;
}

std::vector<Decoder::Part> Decoder::layout(const ModelConfig& config, const std::vector<std::string>& names) {
  std::vector<Part> parts;
  Index column = 0;
  for (const std::string& name : names) {
    parts.push_back({name, column, config.part_size(name)});
    column += parts.back().size;
  }
  return parts;
}

Decoder::Decoder(const ModelConfig& config, Parameters& parameters)
    : config_(config), input_(layout(config, config.decoder.input)), readout_(layout(config, config.readout.parts)) {
  const DecoderConfig& c = config.decoder;
  const NamesConfig& names = config.names;
  const CellKind& kind = cell_kind(c.cell);
  const auto matrix = [&](const std::string& name, Index out, Index in, ParameterId& weight, ParameterId& bias) {
    weight = parameters.add(name, {out, in});
    bias = parameters.add(bias_name(name), {out});
  };
  const Index hidden = c.hidden;
  if (c.bridge == "tanh-linear") {
    const Index in = config.encoder.output_size(), out = hidden;
    matrix(names.bridge, out, in, bridge_, bridge_bias_);
    if (kind.memory) matrix(names.bridge_cell, out, in, bridge_cell_, bridge_cell_bias_);
  }
  attention_ = make_attention(config, parameters);
  Index input = input_.back().column + input_.back().size;
  if (c.input_layer) {
    matrix(names.input_layer, hidden, input, input_weight_, input_bias_);
    input = hidden;
  }
  for (int layer = 0; layer < c.layers; ++layer)
    cells_.push_back(
        CellParameters::declare(parameters, names.decoder, layer, false, kind, layer == 0 ? input : hidden, hidden));
  if (config.readout.tanh)
    matrix(names.readout, config.readout_size(), readout_.back().column + readout_.back().size, readout_weight_,
           readout_bias_);
}

// tanh(W [backward; forward] + b) over the top layer's last states, [sentences,Hd]; every layer starts from it.
Var Decoder::bridged(Tape& tape, const Encoded& encoded, bool memory) const {
  const auto& top = encoded.last[static_cast<std::size_t>(config_.encoder.layers - 1)];
  const auto state = [&](std::size_t d) { return memory && top[d].c ? top[d].c : top[d].h; };
  const Var last = config_.encoder.bidirectional ? concat(tape, {state(1), state(0)}) : state(0);
  return tanh(tape, linear(tape, last, tape.parameter(memory ? bridge_cell_ : bridge_),
                           tape.parameter(memory ? bridge_cell_bias_ : bridge_bias_)));
}

DecoderState Decoder::start(Tape& tape, const Encoded& encoded) const {
  const DecoderConfig& c = config_.decoder;
  const bool memory = cell_kind(c.cell).memory;
  const Index batch = static_cast<Index>(encoded.rows.sentence.size());
  DecoderState state;
  Var h, cell;
  if (c.bridge == "tanh-linear") {
    h = bridged(tape, encoded, false);
    if (memory) cell = bridged(tape, encoded, true);
  }
  for (int k = 0; k < c.layers; ++k) {
    CellState& layer = state.cells[static_cast<std::size_t>(k)];
    if (c.bridge == "tanh-linear") {
      layer = {h, cell};
    } else if (c.bridge == "last") {
      layer = encoded.last[static_cast<std::size_t>(c.layers == 1 ? config_.encoder.layers - 1 : k)][0];
    } else {
      layer = {tape.zeros(batch, c.hidden), memory ? tape.zeros(batch, c.hidden) : Var{}};
    }
  }
  if (config_.feeds_input()) state.feed = tape.zeros(batch, config_.readout_size());
  return state;
}

DecoderRun::DecoderRun(Tape& tape, const Decoder& decoder, const Encoded& encoded, Index rows, Var embeddings,
                       const Noise* noise, std::span<const std::uint32_t> keys)
    : tape_(tape),
      decoder_(decoder),
      config_(decoder.config_),
      noise_(noise),
      keys_(keys),
      embeddings_known_(embeddings),
      rows_(rows) {
  const auto bias_rows = [&](ParameterId id) { return broadcast(tape, tape.parameter(id), rows); };
  if (decoder.attention_) attention_ = decoder.attention_->begin(tape, encoded.source, rows);

  // The parts of the input, added up in the first layer's gates or in the input layer.
  const CellParameters& first = decoder.cells_.front();
  const bool layered = config_.decoder.input_layer;
  const Var weight = tape.parameter(layered ? decoder.input_weight_ : first.w_ih);
  const ParameterId bias = layered ? decoder.input_bias_ : first.b_ih;
  const auto columns = [&](const Decoder::Part& part) { return weight.slice_columns(part.column, part.size); };
  const auto& parts = decoder.input_;
  if (embeddings_known_) {
    const auto part = std::ranges::find(parts, "embedding", &Decoder::Part::name);
    before_layer_ = linear(tape, activated(embeddings), columns(*part), tape.parameter(bias));
  } else {
    before_layer_ = bias_rows(bias);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].name != "embedding" || !embeddings_known_) input_[i].emplace(tape, columns(parts[i]), before_layer_);

  for (std::size_t k = 0; k < decoder.cells_.size(); ++k) {
    const CellParameters& cell = decoder.cells_[k];
    const bool direct = k == 0 && !layered;
    gx_[k] = direct ? before_layer_ : bias_rows(cell.b_ih);
    if (!direct) from_input_[k].emplace(tape, tape.parameter(cell.w_ih), gx_[k]);
    gh_[k] = bias_rows(cell.b_hh);
    from_state_[k].emplace(tape, tape.parameter(cell.w_hh), gh_[k]);
    // As in the encoder, the first rows are every sentence's first step.
    if (noise != nullptr)
      state_masks_[k] = state_mask(tape, config_, noise, DropoutPlace::decoder_state, static_cast<int>(k), cell.hidden,
                                   keys.first(encoded.rows.sentence.size()));
  }

  readout_ = tape.variable(rows, decoder.readout_.back().column + decoder.readout_.back().size);
  if (embeddings_known_) read_part("embedding", 0, embeddings);
  if (config_.feeds_input()) {
    feed_.emplace(tape, tape.parameter(decoder.readout_weight_), bias_rows(decoder.readout_bias_));
    fed_ = tape.variable(rows, config_.readout_size());
  }
}

// The input's activation, where no layer stands between: it acts on each part by itself.
Var DecoderRun::activated(Var x) const {
  return config_.decoder.input_activation == "relu" && !config_.decoder.input_layer ? relu(tape_, x) : x;
}

void DecoderRun::read_part(const std::string& name, Index row, Var value) {
  for (const Decoder::Part& part : decoder_.readout_)
    if (part.name == name)
      write(tape_, readout_.slice_columns(part.column, part.size).slice_rows(row, value.rows()), value);
}

Var DecoderRun::layer_dropout(Var x, int layer, Index row) {
  if (noise_ == nullptr) return x;
  return dropout(tape_, x, dropout_at(*noise_, DropoutPlace::decoder_layer, layer, config_.dropout.layers),
                 keys_.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(x.rows())));
}

DecoderRun::Step DecoderRun::step(Index row, Var embedding, const DecoderState& before, const SourceRows& rows) {
  const Index n = embedding.rows();
  const bool attend_before =
      attention_ != nullptr && (config_.attention.place == "before" || config_.attention.score == "constant");
  const auto top = static_cast<std::size_t>(decoder_.layers() - 1);
  Attended attended;
  if (attend_before) attended = attention_->step(row, before.cells[top].h, embedding, rows);

  for (std::size_t i = 0; i < decoder_.input_.size(); ++i) {
    if (!input_[i]) continue;
    const std::string& name = decoder_.input_[i].name;
    input_[i]->step(row, activated(name == "embedding" ? embedding
                                   : name == "context" ? attended.context
                                                       : before.feed));
  }
  Var x = before_layer_.slice_rows(row, n);
  if (config_.decoder.input_layer && config_.decoder.input_activation == "relu") x = relu(tape_, x);

  Step result;
  for (std::size_t k = 0; k <= top; ++k) {
    if (from_input_[k]) from_input_[k]->step(row, k == 0 ? x : layer_dropout(x, static_cast<int>(k), row));
    const CellParameters& cell = decoder_.cells_[k];
    const Var h = before.cells[k].h, read = state_masks_[k] ? mul(tape_, h, state_masks_[k].slice_rows(0, n)) : h;
    result.after.cells[k] =
        cell.kind->step(tape_, gx_[k].slice_rows(row, n), from_state_[k]->step(row, read), before.cells[k]);
    x = result.after.cells[k].h;
  }
  if (attention_ != nullptr && !attend_before) attended = attention_->step(row, x, embedding, rows);

  read_part("state", row, x);
  if (attended.context) read_part("context", row, attended.context);
  if (!embeddings_known_) read_part("embedding", row, embedding);
  if (feed_) {
    result.after.feed = tanh(tape_, feed_->step(row, readout_.slice_rows(row, n)));
    write(tape_, fed_.slice_rows(row, n), result.after.feed);
  }
  result.weights = attended.weights;
  result.context = attended.context;
  result.scores = attended.scores;
  return result;
}

Tensor DecoderRun::readout_now(Index row, Index n) {
  if (feed_) return fed_.value.slice_rows(row, n);
  const Tensor x = readout_.value.slice_rows(row, n);
  if (!config_.readout.tanh) return x;
  const auto fixed = [&](ParameterId id) { return Tape::constant(tape_.parameter(id).value); };
  return tanh(tape_, linear(tape_, Tape::constant(x), fixed(decoder_.readout_weight_), fixed(decoder_.readout_bias_)))
      .value;
}

Var DecoderRun::readouts() {
  Var x = readout_;
  if (feed_)
    x = fed_;
  else if (config_.readout.tanh)
    x = tanh(tape_, linear(tape_, readout_, tape_.parameter(decoder_.readout_weight_),
                           tape_.parameter(decoder_.readout_bias_)));
  if (noise_ != nullptr)
    x = dropout(tape_, x, dropout_at(*noise_, DropoutPlace::readout, 0, config_.dropout.readout), keys_);
  return x;
}

}  // namespace heed
