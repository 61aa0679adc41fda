// One number W [h; e] + b, as in "Attention in Neural Networks - 10. Alignment Models (3)". The state's term is the
// same for every position and cancels in the softmax, so this attention does not move from step to step; it is computed
// all the same.
#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

class LinearRun final : public AttentionRun {
 public:
  LinearRun(Tape& tape, const SourceStates& source, Var query_weight, Var bias, Index rows)
      : tape_(tape), source_(source), query_(tape, query_weight, broadcast(tape, bias, rows)) {}

  autograd::AttentionOutput step(Index row, Var state, Var /*embedding*/, const SourceRows& rows) override {
    return linear_attention(tape_, source_.keys, source_.states, query_.step(row, state), rows.spans, source_.longest);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  autograd::StepLinear query_;
};

class Linear final : public Attention {
 public:
  Linear(const ModelConfig& config, Parameters& parameters)
      : hidden_(config.decoder.hidden),
        layer_(
            LinearLayer::declare(parameters, "decoder.attention.combine", 1, hidden_ + config.encoder.output_size())) {}

  Var keys(Tape& tape, Var states) const override {
    const Var weight = layer_.weights(tape);
    return linear(tape, states, weight.slice_columns(hidden_, weight.columns() - hidden_));
  }

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    const Var query = layer_.weights(tape).slice_columns(0, hidden_);
    return in_arena(tape, LinearRun(tape, source, query, layer_.biases(tape), rows));
  }

 private:
  Index hidden_;
  LinearLayer layer_;
};

}  // namespace

std::unique_ptr<Attention> make_linear(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Linear>(config, parameters);
}

}  // namespace heed::model
