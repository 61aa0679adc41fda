// Linear score: W [h; e] + b, one number, as in "Attention in Neural Networks - 10. Alignment Models (3)". The state's
// term is the same for every position and cancels in the softmax, so the weights are the same at every step. It is
// computed all the same, as in the tutorial.
#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

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
    const Var weight = layer_.weights(tape).slice_columns(0, hidden_);
    autograd::StepLinear query(tape, weight, broadcast(tape, layer_.biases(tape), rows));
    return make_run(tape, [&tape, source, query](Index row, Var h, Var, const SourceRows& of) mutable {
      return linear_attention(tape, source.keys, source.states, query.step(row, h), of.spans, source.longest);
    });
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
