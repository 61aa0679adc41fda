#include "model/decoder_layers.h"

#include <algorithm>

namespace heed::model {

Concatenation::Concatenation(const ModelConfig& config, const std::vector<Part>& order) {
  for (const Part part : order) {
    parts.push_back({part, width, config.part_size(part)});
    width += parts.back().size;
  }
}

InputLayer::InputLayer(const ModelConfig& config, Parameters& parameters)
    : parts(config, config.decoder.input),
      relu(config.decoder.input_activation == Activation::relu),
      width(config.decoder.input_layer ? config.decoder.hidden : parts.width) {
  if (config.decoder.input_layer) layer = LinearLayer::declare(parameters, "decoder.input", width, parts.width);
}

InputRun::InputRun(Tape& tape, const InputLayer& input, const CellParameters& first, Index rows, Var embeddings)
    : tape_(tape), input_(input) {
  const bool layered = static_cast<bool>(input.layer.weight);
  const Var weight = tape.parameter(layered ? input.layer.weight : first.w_ih);
  const Var bias = tape.parameter(layered ? input.layer.bias : first.b_ih);
  const auto columns = [&](const auto& part) { return weight.slice_columns(part.begin, part.size); };
  const auto& parts = input.parts.parts;
  if (embeddings) {
    const auto part = std::ranges::find(parts, Part::embedding, &Concatenation::Columns::part);
    sums_ = linear(tape, activated(embeddings), columns(*part), bias);
  } else {
    sums_ = broadcast(tape, bias, rows);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].part != Part::embedding || !embeddings) products_[i].emplace(tape, columns(parts[i]), sums_);
}

Var InputRun::step(Index row, Var embedding, Var context, Var feed) {
  for (std::size_t i = 0; i < input_.parts.parts.size(); ++i) {
    if (!products_[i]) continue;
    const Part part = input_.parts.parts[i].part;
    products_[i]->step(row, activated(part == Part::embedding ? embedding : part == Part::context ? context : feed));
  }
  const Var x = sums_.slice_rows(row, embedding.rows());
  return input_.relu && input_.layer.weight ? relu(tape_, x) : x;
}

CellStackRun::CellStackRun(Tape& tape, const std::vector<CellParameters>& cells, Var first_gates, Index rows,
                           const BatchDropout& dropout)
    : tape_(tape), cells_(cells), dropout_(dropout) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const CellParameters& cell = cells[k];
    const bool has_gates = k == 0 && first_gates;
    gx_[k] = has_gates ? first_gates : broadcast(tape, tape.parameter(cell.b_ih), rows);
    if (!has_gates) from_input_[k].emplace(tape, tape.parameter(cell.w_ih), gx_[k]);
    from_state_[k].emplace(tape, tape.parameter(cell.w_hh), broadcast(tape, tape.parameter(cell.b_hh), rows));
    masks_[k] = dropout.state_mask(tape, DropoutSite::decoder_state, static_cast<int>(k), cell.hidden);
  }
}

void CellStackRun::step(Index row, Var x, const States& before, States& after) {
  const Index n = x.rows();
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    if (k > 0) x = dropout_(tape_, x, DropoutSite::decoder_layer, row, static_cast<int>(k));
    if (from_input_[k]) from_input_[k]->step(row, x);
    const Var h = before[k].h, read = masks_[k] ? mul(tape_, h, masks_[k].slice_rows(0, n)) : h;
    after[k] = cells_[k].kind->step(tape_, gx_[k].slice_rows(row, n), from_state_[k]->step(row, read), before[k]);
    x = after[k].h;
  }
}

ReadoutLayer::ReadoutLayer(const ModelConfig& config, Parameters& parameters)
    : parts(config, config.readout.parts),
      uses_input_feeding(std::ranges::count(config.decoder.input, Part::feed) > 0) {
  if (config.readout.tanh)
    layer = LinearLayer::declare(parameters, "decoder.readout", config.readout_size(), parts.width);
}

ReadoutRun::ReadoutRun(Tape& tape, const ReadoutLayer& readout, Index rows, Var embeddings)
    : tape_(tape), readout_(readout), parts_(tape.variable(rows, readout.parts.width)) {
  if (embeddings) put(Part::embedding, 0, embeddings);
  if (!readout.uses_input_feeding) return;
  const Var biases = broadcast(tape, readout.layer.biases(tape), rows);
  step_.emplace(tape, readout.layer.weights(tape), biases);
  fed_ = tape.variable(rows, biases.columns());
}

void ReadoutRun::put(Part part, Index row, Var value) {
  for (const auto& columns : readout_.parts.parts)
    if (columns.part == part)
      write(tape_, parts_.slice_columns(columns.begin, columns.size).slice_rows(row, value.rows()), value);
}

Var ReadoutRun::feed_for(Index row, Index n) {
  if (!step_) return {};
  const Var fed = tanh(tape_, step_->step(row, parts_.slice_rows(row, n)));
  write(tape_, fed_.slice_rows(row, n), fed);
  return fed;
}

Tensor ReadoutRun::now(Index row, Index n) const {
  if (step_) return fed_.value.slice_rows(row, n);
  const Tensor x = parts_.value.slice_rows(row, n);
  if (!readout_.layer.weight) return x;
  const auto fixed = [](Var v) { return Tape::constant(v.value); };
  return tanh(tape_, linear(tape_, Tape::constant(x), fixed(readout_.layer.weights(tape_)),
                            fixed(readout_.layer.biases(tape_))))
      .value;
}

Var ReadoutRun::all() const {
  if (step_) return fed_;
  return readout_.layer.weight ? tanh(tape_, readout_.layer(tape_, parts_)) : parts_;
}

}  // namespace heed::model
