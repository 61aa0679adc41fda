// The 000 document's score: one number W [h; e] + b. The state's share is the same for every position and cancels in
// the softmax, so this attention does not move from step to step; it is computed all the same.
#include "autograd/ops/linear.h"
#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/config.h"

namespace heed {
namespace {

class LinearRun final : public AttentionRun {
 public:
  LinearRun(Tape& tape, const SourceStates& source, Var query_weight, Var bias, Index rows)
      : tape_(tape), source_(source), query_(tape, query_weight, broadcast(tape, bias, rows)) {}

  Attended step(Index row, Var state, Var /*embedding*/, const SourceRows& rows) override {
    return linear_attention(tape_, source_.keys, source_.states, query_.step(row, state), rows.spans, source_.longest);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  StepLinear query_;
};

class Linear final : public Attention {
 public:
  Linear(const ModelConfig& config, Parameters& parameters) : hidden_(config.decoder.hidden) {
    weight_ = parameters.add(config.names.attention_combine, {1, hidden_ + config.encoder.output_size()});
    bias_ = parameters.add(bias_name(config.names.attention_combine), {1});
  }

  Var keys(Tape& tape, Var states) const override {
    const Var weight = tape.parameter(weight_);
    return linear(tape, states, weight.slice_columns(hidden_, weight.columns() - hidden_));
  }

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    const Var query = tape.parameter(weight_).slice_columns(0, hidden_);
    return in_arena(tape, LinearRun(tape, source, query, tape.parameter(bias_), rows));
  }

 private:
  Index hidden_;
  ParameterId weight_, bias_;
};

}  // namespace

std::unique_ptr<Attention> make_linear(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Linear>(config, parameters);
}

}  // namespace heed
