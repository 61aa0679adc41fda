// W [x; h] + b gives a number for each position up to a fixed length, whatever stands there, as in "The Dissected
// Attention Network". The softmax is not masked: what falls past a sentence's end meets nothing and is lost.
#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

class LocationRun final : public AttentionRun {
 public:
  LocationRun(Tape& tape, const SourceStates& source, Var weight, Var scores, Index embedding)
      : tape_(tape),
        source_(source),
        embedding_(tape, weight.slice_columns(0, embedding), scores),
        state_(tape, weight.slice_columns(embedding, weight.columns() - embedding), scores) {}

  autograd::AttentionOutput step(Index row, Var state, Var embedding, const SourceRows& rows) override {
    embedding_.step(row, embedding);
    return location_attention(tape_, source_.states, state_.step(row, state), rows.spans);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  autograd::StepLinear embedding_, state_;
};

class Location final : public Attention {
 public:
  Location(const ModelConfig& config, Parameters& parameters)
      : embedding_(config.decoder.embedding_size()),
        positions_(config.attention.max_length),
        layer_(LinearLayer::declare(parameters, "decoder.attention.combine", positions_,
                                    embedding_ + config.decoder.hidden)) {}

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    const Var scores = broadcast(tape, layer_.biases(tape), rows);
    return in_arena(tape, LocationRun(tape, source, layer_.weights(tape), scores, embedding_));
  }

  Index max_length() const override { return positions_; }

 private:
  Index embedding_, positions_;
  LinearLayer layer_;
};

}  // namespace

std::unique_ptr<Attention> make_location(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Location>(config, parameters);
}

}  // namespace heed::model
