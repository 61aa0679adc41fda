#include "autograd/ops/linear.h"

#include <new>
#include <utility>

#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "kernels/panels.h"

namespace heed::autograd {

namespace {

void project(const Tape& tape, Tensor y, Tensor x, Tensor w, bool accumulate) {
  if (tape.recording() && w.rows() > 1)
    kernels::matmul(y, x, w, {.transpose_b = true, .accumulate = accumulate});
  else
    kernels::project(y, x, w, accumulate);
}

// The smallest number of rows, over all steps, for which packing a weight pays off.
constexpr Index kRowsToPack = 64;

}  // namespace

void affine(const Tape& tape, Tensor y, Tensor x, Var w, Var b) {
  if (b && !tape.recording()) return kernels::project(y, x, w.value, b.value);
  if (b) kernels::broadcast_forward(y, b.value);
  project(tape, y, x, w.value, static_cast<bool>(b));
}

Var linear(Tape& tape, Var x, Var w, Var b) {
  check_shape("linear", "x", x.value, -1, w.columns());
  if (b) check_shape("linear", "bias", b.value, 1, w.rows());
  const Var y = tape.variable(x.rows(), w.rows());
  affine(tape, y.value, x.value, w, b);
  tape.record(Op::linear, [=] {
    if (x.grad) kernels::matmul(x.grad, y.grad, w.value, {.accumulate = true});
    if (w.grad) kernels::matmul(w.grad, y.grad, x.value, {.transpose_a = true, .accumulate = true});
    if (b.grad) kernels::broadcast_backward(b.grad, y.grad);
  });
  return y;
}

Var matmul(Tape& tape, Var a, Var b) {
  check_shape("matmul", "b", b.value, a.columns(), -1);
  const Var c = tape.variable(a.rows(), b.columns());
  kernels::matmul(c.value, a.value, b.value);
  tape.record(Op::matmul, [=] {
    if (a.grad) kernels::matmul(a.grad, c.grad, b.value, {.transpose_b = true, .accumulate = true});
    if (b.grad) kernels::matmul(b.grad, a.value, c.grad, {.transpose_a = true, .accumulate = true});
  });
  return c;
}

StepLinear::StepLinear(Tape& tape, Var w, Var out) : tape_(tape), w_(w), out_(out) {
  check_shape("step_linear", "out", out.value, -1, w.rows());
  if (!tape.recording()) return;
  Arena& arena = tape.arena();
  inputs_ = arena.zeros(tape.type(), out.rows(), w.columns());
  if (tape.type() == DType::f32 && w.rows() > 1 && out.rows() >= kRowsToPack) {
    const auto round_up = [](Index rows) { return (rows + kPanelRows - 1) / kPanelRows * kPanelRows; };
    void* const memory = arena.tensor(DType::panels, round_up(w.rows()), round_up(w.columns())).address();
    const auto panels = [&](Index rows, Index columns) { return Tensor(memory, DType::panels, rows, columns); };
    packed_ = new (arena.allocate(sizeof(Packed))) Packed{panels(w.rows(), w.columns()), panels(w.columns(), w.rows())};
    kernels::copy_to_panels(packed_->forward, w.value);
  }
  tape.record(Op::step_linear, [inputs = inputs_, w, out] {
    if (w.grad) kernels::matmul(w.grad, out.grad, inputs, {.transpose_a = true, .accumulate = true});
  });
}

Var StepLinear::step(Index row, Var x) {
  check_shape("step_linear", "x", x.value, -1, w_.columns());
  const Var y = out_.slice_rows(row, x.rows());
  if (packed_ != nullptr)
    kernels::project(y.value, x.value, packed_->forward, true);
  else
    project(tape_, y.value, x.value, w_.value, true);
  if (tape_.recording()) kernels::copy(inputs_.slice_rows(row, x.rows()), x.value);
  tape_.record(Op::step_linear, [x, y, w = w_, packed = packed_] {
    if (!x.grad) return;
    if (packed == nullptr) return kernels::matmul(x.grad, y.grad, w.value, {.accumulate = true});
    if (!std::exchange(packed->transposed, true)) kernels::copy_transposed_to_panels(packed->backward, w.value);
    kernels::project(x.grad, y.grad, packed->backward, true);
  });
  return y;
}

}  // namespace heed::autograd
