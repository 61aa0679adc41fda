// No attention: the encoder's last state is the context of every step (Cho et al. 2014).
#include "autograd/ops/elementwise.h"
#include "model/attention.h"

namespace heed::model {
namespace {

class Constant final : public Attention {
 public:
  AttentionRun* begin(Tape& tape, const SourceStates& source, Index /*rows*/) const override {
    return make_run(tape, [&tape, last = source.last](Index, Var, Var, const SourceRows& rows) {
      return autograd::AttentionOutput{gather_rows(tape, last, rows.sentence), {}, {}};
    });
  }
};

}  // namespace

std::unique_ptr<Attention> make_constant(const ModelConfig& /*config*/, Parameters& /*parameters*/) {
  return std::make_unique<Constant>();
}

}  // namespace heed::model
