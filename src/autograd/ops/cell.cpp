#include "autograd/ops/cell.h"

#include "kernels/cell.h"

namespace heed::autograd {

Var gru_step(Tape& tape, Var gx, Var gh, Var h) {
  check_shape("gru", "gx", gx.value, h.rows(), 3 * h.columns());
  check_shape("gru", "gh", gh.value, h.rows(), 3 * h.columns());
  const Var next = tape.variable(h.rows(), h.columns());
  const Tensor gates = tape.arena().tensor(tape.type(), gx.rows(), gx.columns());
  kernels::gru_forward(next.value, gates, gx.value, gh.value, h.value);
  tape.record(Op::gru, [=] { kernels::gru_backward(gx.grad, gh.grad, h.grad, next.grad, gates, gh.value, h.value); });
  return next;
}

LstmState lstm_step(Tape& tape, Var gx, Var gh, Var c) {
  check_shape("lstm", "gx", gx.value, c.rows(), 4 * c.columns());
  check_shape("lstm", "gh", gh.value, c.rows(), 4 * c.columns());
  const Var h_next = tape.variable(c.rows(), c.columns()), c_next = tape.variable(c.rows(), c.columns());
  const Tensor gates = tape.arena().tensor(tape.type(), gx.rows(), gx.columns());
  kernels::lstm_forward(h_next.value, c_next.value, gates, gx.value, gh.value, c.value);
  tape.record(Op::lstm, [=] {
    kernels::lstm_backward(gx.grad, gh.grad, c.grad, h_next.grad, c_next.grad, gates, c_next.value, c.value);
  });
  return {h_next, c_next};
}

Var rnn_step(Tape& tape, Var gx, Var gh) {
  check_shape("rnn", "gh", gh.value, gx.rows(), gx.columns());
  const Var next = tape.variable(gx.rows(), gx.columns());
  kernels::rnn_forward(next.value, gx.value, gh.value);
  tape.record(Op::rnn, [=] { kernels::rnn_backward(gx.grad, gh.grad, next.grad, next.value); });
  return next;
}

}  // namespace heed::autograd
