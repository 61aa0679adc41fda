// No attention: the encoder's last state is the context of every step (Cho et al. 2014).
#include "autograd/ops/elementwise.h"
#include "model/attention.h"

namespace heed::model {
namespace {

class ConstantRun final : public AttentionRun {
 public:
  ConstantRun(Tape& tape, const SourceStates& source) : tape_(tape), source_(source) {}

  autograd::AttentionOutput step(Index /*row*/, Var /*state*/, Var /*embedding*/, const SourceRows& rows) override {
    return {gather_rows(tape_, source_.last, rows.sentence), {}};
  }

 private:
  Tape& tape_;
  SourceStates source_;
};

class Constant final : public Attention {
 public:
  AttentionRun* begin(Tape& tape, const SourceStates& source, Index /*rows*/) const override {
    return in_arena(tape, ConstantRun(tape, source));
  }
};

}  // namespace

std::unique_ptr<Attention> make_constant(const ModelConfig& /*config*/, Parameters& /*parameters*/) {
  return std::make_unique<Constant>();
}

}  // namespace heed::model
