// Additive scores (Bahdanau et al. 2015): v · tanh(Wq h + Wk e), with biases if attention.bias is set.
#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

// The matrices that h and e are multiplied by; the three forms differ in where these come from.
struct Matrices {
  Var query;  // [A,Hd]
  Var key;    // [A,De]
};

class Additive final : public Attention {
 public:
  enum class Form { separate, joined, shared };

  Additive(const ModelConfig& config, Parameters& parameters, Form form) : form_(form), hidden_(config.decoder.hidden) {
    const Index a = config.attention_size(), de = config.encoder.output_size();
    const bool bias = config.attention.bias;
    if (form == Form::separate) {
      query_ = LinearLayer::declare(parameters, "decoder.attention.query", a, hidden_, false).weight;
      key_ = LinearLayer::declare(parameters, "decoder.attention.key", a, de, bias);
    } else {
      const Index in = form == Form::joined ? hidden_ + de : hidden_;
      key_ = LinearLayer::declare(parameters, "decoder.attention.combine", a, in, bias);
    }
    v_ = LinearLayer::declare(parameters, "decoder.attention.v", 1, a, bias);
  }

  Var keys(Tape& tape, Var states) const override {
    return linear(tape, states, matrices(tape).key, key_.biases(tape));
  }

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    const Var v = v_.weights(tape), bias = v_.biases(tape);
    autograd::StepLinear query(tape, matrices(tape).query, tape.zeros(rows, v.columns()));
    return make_run(tape, [&tape, source, v, bias, query](Index row, Var h, Var, const SourceRows& of) mutable {
      return additive_attention(tape, source.keys, source.states, query.step(row, h), v, bias, of.spans,
                                source.longest);
    });
  }

 private:
  Matrices matrices(Tape& tape) const {
    const Var key = key_.weights(tape);
    if (form_ == Form::separate) return {tape.parameter(query_), key};
    if (form_ == Form::shared) return {key, key};
    return {key.slice_columns(0, hidden_), key.slice_columns(hidden_, key.columns() - hidden_)};
  }

  Form form_;
  Index hidden_;
  ParameterId query_;  // only in the separate form
  LinearLayer key_, v_;
};

}  // namespace

std::unique_ptr<Attention> make_additive(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::separate);
}

// v · tanh(W [h; e]): Luong et al. 2015's concat, and with biases the two layers of bigru-deep-output.
std::unique_ptr<Attention> make_concat(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::joined);
}

// v · tanh(W (h + e)): what Gabriel Loye's "Attention Mechanism" calls concat.
std::unique_ptr<Attention> make_shared_concat(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::shared);
}

}  // namespace heed::model
