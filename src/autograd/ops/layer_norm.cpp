#include "autograd/ops/layer_norm.h"

#include "kernels/layer_norm.h"

namespace heed::autograd {

Var layer_norm(Tape& tape, Var x, Var gain, Var bias) {
  const Var y = tape.variable(x.rows(), x.columns());
  const Tensor statistics = tape.arena().tensor(tape.type(), x.rows(), 2);
  kernels::layer_norm_forward(y.value, statistics, x.value, gain.value, bias.value);
  tape.record(Op::layer_norm, [=] {
    kernels::layer_norm_backward(x.grad, gain.grad, bias.grad, y.grad, x.value, gain.value, statistics);
  });
  return y;
}

}  // namespace heed::autograd
