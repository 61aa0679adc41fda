// Location score: W [x; h] + b, one number for each position up to a fixed length, from the previous word x and the
// state h alone, as in "The Dissected Attention Network". The softmax is not masked: weight on positions past a
// sentence's end is lost.
#include "autograd/ops/elementwise.h"
#include "model/attention.h"
#include "model/linear_layer.h"

namespace heed::model {
namespace {

class Location final : public Attention {
 public:
  Location(const ModelConfig& config, Parameters& parameters)
      : embedding_(config.decoder.embedding_size()),
        positions_(config.attention.max_length),
        layer_(LinearLayer::declare(parameters, "decoder.attention.combine", positions_,
                                    embedding_ + config.decoder.hidden)) {}

  AttentionRun* begin(Tape& tape, const SourceStates& source, Index rows) const override {
    const Var weight = layer_.weights(tape), scores = broadcast(tape, layer_.biases(tape), rows);
    autograd::StepLinear from_word(tape, weight.slice_columns(0, embedding_), scores),
        from_state(tape, weight.slice_columns(embedding_, weight.columns() - embedding_), scores);
    return make_run(tape, [&tape, states = source.states, from_word, from_state](Index row, Var h, Var word,
                                                                                 const SourceRows& of) mutable {
      from_word.step(row, word);
      return location_attention(tape, states, from_state.step(row, h), of.spans);
    });
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
