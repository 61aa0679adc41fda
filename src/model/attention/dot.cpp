// Scores by dot product (Luong et al. 2015, eq. 8): e · h, the same over the square root of the size, and e · W h.
#include <cmath>

#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

class DotRun final : public AttentionRun {
 public:
  DotRun(Tape& tape, const SourceStates& source, double scale) : tape_(tape), source_(source), scale_(scale) {}

  autograd::AttentionOutput step(Index /*row*/, Var state, Var /*embedding*/, const SourceRows& rows) override {
    return dot_attention(tape_, source_.states, source_.states, state, scale_, rows.spans, source_.longest);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  double scale_;
};

class Dot final : public Attention {
 public:
  explicit Dot(double scale) : scale_(scale) {}
  AttentionRun* begin(Tape& tape, const SourceStates& source, Index /*rows*/) const override {
    return in_arena(tape, DotRun(tape, source, scale_));
  }

 private:
  double scale_;
};

class GeneralRun final : public AttentionRun {
 public:
  GeneralRun(Tape& tape, const SourceStates& source, Var weight, Index rows)
      : tape_(tape), source_(source), query_(tape, weight, tape.zeros(rows, weight.rows())) {}

  autograd::AttentionOutput step(Index row, Var state, Var /*embedding*/, const SourceRows& rows) override {
    return dot_attention(tape_, source_.states, source_.states, query_.step(row, state), 1, rows.spans,
                         source_.longest);
  }

 private:
  Tape& tape_;
  SourceStates source_;
  autograd::StepLinear query_;
};

class General final : public Attention {
 public:
  General(const ModelConfig& config, Parameters& parameters)
      : layer_(LinearLayer::declare(parameters, "decoder.attention.query", config.encoder.output_size(),
                                    config.decoder.hidden, false)) {}
  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    return in_arena(tape, GeneralRun(tape, source, layer_.weights(tape), rows));
  }

 private:
  LinearLayer layer_;
};

}  // namespace

std::unique_ptr<Attention> make_dot(const ModelConfig& /*config*/, Parameters& /*parameters*/) {
  return std::make_unique<Dot>(1);
}

std::unique_ptr<Attention> make_scaled_dot(const ModelConfig& config, Parameters& /*parameters*/) {
  return std::make_unique<Dot>(1 / std::sqrt(static_cast<double>(config.decoder.hidden)));
}

std::unique_ptr<Attention> make_general(const ModelConfig& config, Parameters& parameters) {
  return std::make_unique<General>(config, parameters);
}

}  // namespace heed::model
