// Dot-product scores of encoder state e and decoder state h: e · h and e · W h (Luong et al. 2015, section 3.1), and
// e · h / sqrt(decoder.hidden) (Vaswani et al. 2017).
#include <cmath>
#include <optional>

#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

class Dot final : public Attention {
 public:
  explicit Dot(double scale, ParameterId weight = {}) : scale_(scale), weight_(weight) {}

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    std::optional<autograd::StepLinear> query;
    if (weight_) query.emplace(tape, tape.parameter(weight_), tape.zeros(rows, source.states.columns()));
    return make_run(tape, [&tape, source, scale = scale_, query](Index row, Var h, Var, const SourceRows& of) mutable {
      return dot_attention(tape, source.states, source.states, query ? query->step(row, h) : h, scale, of.spans,
                           source.longest);
    });
  }

 private:
  double scale_;
  ParameterId weight_;  // W, [De,Hd]; absent: the query is h
};

}  // namespace

std::unique_ptr<Attention> make_dot(const ModelConfig& /*config*/, Parameters& /*parameters*/) {
  return std::make_unique<Dot>(1);
}

std::unique_ptr<Attention> make_scaled_dot(const ModelConfig& config, Parameters& /*parameters*/) {
  return std::make_unique<Dot>(1 / std::sqrt(static_cast<double>(config.decoder.hidden)));
}

std::unique_ptr<Attention> make_general(const ModelConfig& config, Parameters& parameters) {
  const LinearLayer layer = LinearLayer::declare(parameters, "decoder.attention.query", config.encoder.output_size(),
                                                 config.decoder.hidden, false);
  return std::make_unique<Dot>(1, layer.weight);
}

}  // namespace heed::model
