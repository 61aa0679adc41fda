#include "autograd/tape.h"

namespace heed::autograd {

Tape::Tape(const Parameters& parameters, Gradients* gradients) : parameters_(parameters), gradients_(gradients) {}

void Tape::clear(Mode mode) {
  check<InternalError>(mode == Mode::forward_only || gradients_ != nullptr, "a tape without gradients cannot record");
  arena_.reset();
  last_ = nullptr;
  mode_ = mode;
  first_uses_.clear();
  used_.assign(used_.size(), false);
}

void Tape::set_listener(GradientListener& listener) {
  listener_ = &listener;
  used_.resize(parameters_.size());
  first_uses_.reserve(parameters_.size());
}

Var Tape::parameter(ParameterId id) {
  if (listener_ != nullptr && recording() && !used_[static_cast<std::size_t>(id.index)]) {
    used_[static_cast<std::size_t>(id.index)] = true;
    first_uses_.push_back({id, last_});
  }
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
  for (Node* node = std::exchange(last_, nullptr);; node = node->previous) {
    for (; !first_uses_.empty() && first_uses_.back().before == node; first_uses_.pop_back())
      listener_->on_complete(first_uses_.back().id);
    if (node == nullptr) return;
    node->run(node);
  }
}

}  // namespace heed::autograd
