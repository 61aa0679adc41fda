#include "model/decoder.h"

namespace heed::model {
namespace {

// Applies `f` to every Var that is present in the state.
template <class Function>
DecoderState transformed(DecoderState state, Function f) {
  const auto apply = [&](Var& x) {
    if (x) x = f(x);
  };
  for (CellState& cell : state.cells) {
    apply(cell.h);
    apply(cell.c);
  }
  apply(state.feed);
  return state;
}

std::unique_ptr<Attention> make_attention(const ModelConfig& config, Parameters& parameters) {
  const auto make = score_kind(config.attention.score).make;
  return make != nullptr ? make(config, parameters) : nullptr;
}

LinearLayer make_bridge(const ModelConfig& config, Parameters& parameters, StatePart part) {
  const bool is_cell = part == StatePart::cell;
  if (config.decoder.bridge != Bridge::tanh_linear) return {};
  if (is_cell && !cell_kind(config.decoder.cell).has_cell_state) return {};
  return LinearLayer::declare(parameters, is_cell ? "encoder.bridge_cell" : "encoder.bridge", config.decoder.hidden,
                              config.encoder.output_size());
}

std::vector<CellParameters> make_cells(const ModelConfig& config, Parameters& parameters, Index input) {
  const DecoderConfig& c = config.decoder;
  std::vector<CellParameters> cells;
  for (int layer = 0; layer < c.layers; ++layer)
    cells.push_back(CellParameters::declare(parameters, "decoder.rnn", layer, false, cell_kind(c.cell),
                                            layer == 0 ? input : c.hidden, c.hidden));
  return cells;
}

}  // namespace

DecoderState DecoderState::slice_rows(Index from, Index count) const {
  return transformed(*this, [&](Var x) { return x.slice_rows(from, count); });
}

DecoderState DecoderState::gather_rows(Tape& tape, Ids rows) const {
  return transformed(*this, [&](Var x) { return autograd::gather_rows(tape, x, rows); });
}

Decoder::Decoder(const ModelConfig& config, Parameters& parameters)
    : config_(config),
      bridge_(make_bridge(config, parameters, StatePart::hidden)),
      bridge_cell_(make_bridge(config, parameters, StatePart::cell)),
      attention_(make_attention(config, parameters)),
      input_(config, parameters),
      cells_(make_cells(config, parameters, input_.width)),
      readout_(config, parameters) {}

// tanh(W [backward; forward] + b) over the top layer's last states, [sentences,Hd]; every layer starts from it.
Var Decoder::bridged(Tape& tape, const Encoded& encoded, StatePart part) const {
  const bool is_cell = part == StatePart::cell;
  const auto& top = encoded.last[static_cast<std::size_t>(config_.encoder.layers - 1)];
  // An encoder without a cell state (GRU) gives h instead.
  const auto state = [&](std::size_t d) { return is_cell && top[d].c ? top[d].c : top[d].h; };
  const Var last = config_.encoder.bidirectional ? concat(tape, {state(1), state(0)}) : state(0);
  return tanh(tape, (is_cell ? bridge_cell_ : bridge_)(tape, last));
}

DecoderState Decoder::start(Tape& tape, const Encoded& encoded) const {
  const DecoderConfig& c = config_.decoder;
  const bool has_cell_state = cell_kind(c.cell).has_cell_state;
  const Index batch = static_cast<Index>(encoded.rows.sentence.size());
  CellState first;
  if (c.bridge == Bridge::tanh_linear)
    first = {bridged(tape, encoded, StatePart::hidden),
             has_cell_state ? bridged(tape, encoded, StatePart::cell) : Var{}};
  else if (c.bridge == Bridge::zero)
    first = {tape.zeros(batch, c.hidden), has_cell_state ? tape.zeros(batch, c.hidden) : Var{}};
  DecoderState state;
  for (int k = 0; k < c.layers; ++k) {
    // With the bridge `last`, a decoder of one layer starts from the encoder's top layer, otherwise layer k from layer
    // k; [0] is the forward direction, the only one that check_config() allows then.
    const int layer = c.layers == 1 ? config_.encoder.layers - 1 : k;
    state.cells[static_cast<std::size_t>(k)] =
        c.bridge == Bridge::last ? encoded.last[static_cast<std::size_t>(layer)][0] : first;
  }
  if (readout_.uses_input_feeding) state.feed = tape.zeros(batch, config_.readout_size());
  return state;
}

DecoderRun::DecoderRun(Tape& tape, const Decoder& decoder, const Encoded& encoded, Index rows, Var embeddings,
                       const BatchDropout& dropout)
    : tape_(tape),
      config_(decoder.config_),
      source_states_(encoded.source.states),
      dropout_(dropout),
      embeddings_known_(embeddings),
      attention_(decoder.attention_ ? decoder.attention_->begin(tape, encoded.source, rows) : nullptr),
      input_(tape, decoder.input_, decoder.cells_.front(), rows, embeddings),
      cells_(tape, decoder.cells_, input_.first_gates(), rows, dropout),
      readout_(tape, decoder.readout_, rows, embeddings) {}

namespace {

// context = Σ_s weight_s e_s again, after the weights of each row were changed.
template <class Number>
void apply_edit(const EditWeights& edit, const Tensor& weights, const Tensor& context, const Tensor& states,
                const RowRanges& spans) {
  std::vector<float> changed;
  for (Index i = 0; i < weights.rows(); ++i) {
    Number* own = weights.row<Number>(i);
    const auto words = static_cast<Index>(spans.length[static_cast<std::size_t>(i)]);
    changed.assign(own, own + weights.columns());
    edit(changed);
    std::copy(changed.begin(), changed.end(), own);
    for (Index j = 0; j < context.columns(); ++j) {
      double sum = 0;
      for (Index s = 0; s < words; ++s)
        sum += static_cast<double>(own[s]) * states.number(spans.begin[static_cast<std::size_t>(i)] + s, j);
      context.row<Number>(i)[j] = static_cast<Number>(sum);
    }
  }
}

}  // namespace

autograd::AttentionOutput DecoderRun::attend(Index row, Var state, Var embedding, const SourceRows& rows) {
  const autograd::AttentionOutput attended = attention_->step(row, state, embedding, rows);
  if (edit_ == nullptr || !attended.weights) return attended;
  const auto apply = attended.weights.value.type() == DType::f32 ? apply_edit<float> : apply_edit<double>;
  apply(*edit_, attended.weights.value, attended.context.value, source_states_.value, rows.spans);
  return attended;
}

DecoderRun::Step DecoderRun::step(Index row, Var embedding, const DecoderState& before, const SourceRows& rows) {
  const auto top = static_cast<std::size_t>(config_.decoder.layers - 1);
  const bool attend_before = config_.context_before_cell();
  Step result;
  autograd::AttentionOutput attended;
  if (attention_ != nullptr && attend_before) attended = attend(row, before.cells[top].h, embedding, rows);
  cells_.step(row, input_.step(row, embedding, attended.context, before.feed), before.cells, result.after.cells);
  const Var state = result.after.cells[top].h;
  if (attention_ != nullptr && !attend_before) attended = attend(row, state, embedding, rows);

  readout_.put(Part::state, row, state);
  if (attended.context) readout_.put(Part::context, row, attended.context);
  if (!embeddings_known_) readout_.put(Part::embedding, row, embedding);
  result.after.feed = readout_.feed_for(row, embedding.rows());
  result.weights = attended.weights;
  result.context = attended.context;
  result.scores = attended.scores;
  return result;
}

Var DecoderRun::readouts() {
  return dropout_(tape_, readout_.all(), DropoutSite::readout);
}

}  // namespace heed::model
