// Additive scores (Bahdanau et al. 2015): v · tanh(Wq h + Wk e), with biases where attention.bias says so.
#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear.h"
#include "model/attention.h"
#include "model/config.h"

namespace heed {
namespace {

class AdditiveRun final : public AttentionRun {
 public:
  AdditiveRun(Tape& tape, const SourceStates& source, Var query_weight, Var v, Var v_bias, Index rows)
      : tape_(tape),
        source_(source),
        v_(v),
        v_bias_(v_bias),
        query_(tape, query_weight, tape.zeros(rows, v.columns())) {}

  Attended step(Index row, Var state, Var /*embedding*/, const SourceRows& rows) override {
    return additive_attention(tape_, source_.keys, source_.states, query_.step(row, state), v_, v_bias_, rows.spans,
                              source_.longest);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  Var v_, v_bias_;
  StepLinear query_;
};

// The three forms differ in where the matrices of h and e come from.
struct Matrices {
  Var query;  // [A,Hd]
  Var key;    // [A,De]
};

class Additive final : public Attention {
 public:
  enum class Form { separate, joined, shared };

  Additive(const ModelConfig& config, Parameters& parameters, Form form) : form_(form), hidden_(config.decoder.hidden) {
    const Index a = config.attention_size(), de = config.encoder.output_size();
    const NamesConfig& names = config.names;
    if (form == Form::separate) {
      query_ = parameters.add(names.attention_query, {a, hidden_});
      key_ = parameters.add(names.attention_key, {a, de});
    } else {
      query_ = parameters.add(names.attention_combine, {a, form == Form::joined ? hidden_ + de : hidden_});
    }
    const std::string& biased = form == Form::separate ? names.attention_key : names.attention_combine;
    if (config.attention.bias) bias_ = parameters.add(bias_name(biased), {a});
    v_ = parameters.add(names.attention_v, {1, a});
    if (config.attention.bias) v_bias_ = parameters.add(bias_name(names.attention_v), {1});
  }

  Var keys(Tape& tape, Var states) const override {
    return linear(tape, states, matrices(tape).key, optional(tape, bias_));
  }

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    return in_arena(tape,
                    AdditiveRun(tape, source, matrices(tape).query, tape.parameter(v_), optional(tape, v_bias_), rows));
  }

 private:
  static Var optional(Tape& tape, ParameterId id) { return id ? tape.parameter(id) : Var{}; }
  Matrices matrices(Tape& tape) const {
    const Var first = tape.parameter(query_);
    if (form_ == Form::separate) return {first, tape.parameter(key_)};
    if (form_ == Form::shared) return {first, first};
    return {first.slice_columns(0, hidden_), first.slice_columns(hidden_, first.columns() - hidden_)};
  }

  Form form_;
  Index hidden_;
  ParameterId query_, key_, bias_, v_, v_bias_;
};

}  // namespace

std::unique_ptr<Attention> make_additive(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::separate);
}

// v · tanh(W [h; e]): Luong et al. 2015's concat, and with biases the 003 document's two layers.
std::unique_ptr<Attention> make_concat(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::joined);
}

// v · tanh(W (h + e)): what the 001 document calls concat.
std::unique_ptr<Attention> make_shared_concat(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<Additive>(config, parameters, Additive::Form::shared);
}

}  // namespace heed
