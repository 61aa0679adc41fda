#include "autograd/ops/elementwise.h"

#include "kernels/elementwise.h"
#include "kernels/rows.h"

namespace heed::autograd {

Var add(Tape& tape, Var a, Var b) {
  check_shape("add", "b", b.value, a.rows(), a.columns());
  const Var y = tape.variable(a.rows(), a.columns());
  kernels::add_forward(y.value, a.value, b.value);
  tape.record(Op::add, [=] {
    if (a.grad) kernels::add_to(a.grad, y.grad);
    if (b.grad) kernels::add_to(b.grad, y.grad);
  });
  return y;
}

Var mul(Tape& tape, Var a, Var b) {
  check_shape("mul", "b", b.value, a.rows(), a.columns());
  const Var y = tape.variable(a.rows(), a.columns());
  kernels::mul_forward(y.value, a.value, b.value);
  tape.record(Op::mul, [=] {
    if (a.grad) kernels::add_product_to(a.grad, y.grad, b.value);
    if (b.grad) kernels::add_product_to(b.grad, y.grad, a.value);
  });
  return y;
}

namespace {

// y = f(x), where the derivative is a function of y.
template <class Forward, class Backward>
Var map(Tape& tape, Op op, Var x, Forward forward, Backward backward) {
  const Var y = tape.variable(x.rows(), x.columns());
  forward(y.value, x.value);
  tape.record(op, [=] {
    if (x.grad) backward(x.grad, y.grad, y.value);
  });
  return y;
}

}  // namespace

Var tanh(Tape& tape, Var x) {
  return map(tape, Op::tanh, x, kernels::tanh_forward, kernels::tanh_backward);
}

Var sigmoid(Tape& tape, Var x) {
  return map(tape, Op::sigmoid, x, kernels::sigmoid_forward, kernels::sigmoid_backward);
}

Var relu(Tape& tape, Var x) {
  return map(tape, Op::relu, x, kernels::relu_forward, kernels::relu_backward);
}

void write(Tape& tape, Var out, Var x) {
  check_shape("write", "out", out.value, x.rows(), x.columns());
  kernels::copy(out.value, x.value);
  tape.record(Op::write, [=] {
    if (x.grad) kernels::add_to(x.grad, out.grad);
  });
}

Var concat(Tape& tape, std::span<const Var> parts) {
  check(!parts.empty(), "concat: nothing to concatenate");
  Index columns = 0;
  for (const Var& part : parts) {
    check_shape("concat", "a part", part.value, parts.front().rows(), -1);
    columns += part.columns();
  }
  const Var y = tape.variable(parts.front().rows(), columns);
  for (Index column = 0; const Var& part : parts) {
    write(tape, y.slice_columns(column, part.columns()), part);
    column += part.columns();
  }
  return y;
}

Var concat(Tape& tape, std::initializer_list<Var> parts) {
  return concat(tape, std::span<const Var>(parts.begin(), parts.size()));
}

Var broadcast(Tape& tape, Var row, Index rows) {
  check_shape("broadcast", "the row", row.value, 1, -1);
  const Var y = tape.variable(rows, row.columns());
  kernels::broadcast_forward(y.value, row.value);
  tape.record(Op::broadcast, [=] {
    if (row.grad) kernels::broadcast_backward(row.grad, y.grad);
  });
  return y;
}

namespace {

// The ids are added to `touched`, if it is not null, when the gradient is computed.
Var gather(Tape& tape, Op op, Var x, Ids ids, TouchedRows* touched) {
  check_ids(kOpNames[static_cast<std::size_t>(op)].data(), ids, x.rows());
  const Var y = tape.variable(static_cast<Index>(ids.size()), x.columns());
  kernels::gather_rows_forward(y.value, x.value, ids);
  tape.record(op, [=] {
    if (x.grad) kernels::gather_rows_backward(x.grad, y.grad, ids);
    if (touched != nullptr) touched->add(ids);
  });
  return y;
}

}  // namespace

Var gather_rows(Tape& tape, Var x, Ids index) {
  return gather(tape, Op::gather_rows, x, index, nullptr);
}

Var embedding(Tape& tape, ParameterId table, Ids ids) {
  return gather(tape, Op::embedding, tape.parameter(table), ids, tape.touched(table));
}

Var dropout(Tape& tape, Var x, const Dropout& dropout, kernels::RowKeys keys) {
  check(static_cast<Index>(keys.size()) == x.rows(), "dropout: {} row keys for {} rows", keys.size(), x.rows());
  if (dropout.rate == 0 || !tape.recording()) return x;
  const Var y = tape.variable(x.rows(), x.columns());
  const auto kept = tape.arena().array<std::uint8_t>(static_cast<std::size_t>(x.value.elements()));
  kernels::dropout_forward(y.value, kept, x.value, dropout.rate, dropout.random, keys, dropout.whole_rows);
  tape.record(Op::dropout, [=, rate = dropout.rate] {
    if (x.grad) kernels::dropout_backward(x.grad, y.grad, kept, rate);
  });
  return y;
}

Var dropout_mask(Tape& tape, Index columns, const Dropout& dropout, kernels::RowKeys keys) {
  if (dropout.rate == 0 || !tape.recording()) return {};
  Arena& arena = tape.arena();
  const Tensor mask = arena.tensor(tape.type(), static_cast<Index>(keys.size()), columns);
  const auto kept = arena.array<std::uint8_t>(static_cast<std::size_t>(mask.elements()));
  kernels::fill(mask, 1);
  kernels::dropout_forward(mask, kept, mask, dropout.rate, dropout.random, keys, dropout.whole_rows);
  return Tape::constant(mask);
}

}  // namespace heed::autograd
