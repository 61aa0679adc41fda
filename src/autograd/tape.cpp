#include "autograd/tape.h"

namespace heed::autograd {

Tape::Tape(const Parameters& parameters, Gradients* gradients) : parameters_(parameters), gradients_(gradients) {}

void Tape::clear(Mode mode) {
  check<InternalError>(mode == Mode::forward_only || gradients_ != nullptr, "a tape without gradients cannot record");
  arena_.reset();
  last_ = nullptr;
  mode_ = mode;
}

Var Tape::parameter(ParameterId id) const {
  return {parameters_[id].value, recording() ? (*gradients_)[id] : Tensor{}};
}

TouchedRows* Tape::touched(ParameterId id) const {
  return recording() ? gradients_->touched(id) : nullptr;
}

Var Tape::variable(Index rows, Index columns) {
  return {arena_.tensor(type(), rows, columns), recording() ? arena_.zeros(type(), rows, columns) : Tensor{}};
}

Var Tape::zeros(Index rows, Index columns) {
  return {arena_.zeros(type(), rows, columns), recording() ? arena_.zeros(type(), rows, columns) : Tensor{}};
}

void Tape::backward() {
  for (Node* node = std::exchange(last_, nullptr); node != nullptr; node = node->previous) node->run(node);
}

}  // namespace heed::autograd
