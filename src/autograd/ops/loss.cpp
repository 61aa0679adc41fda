#include "autograd/ops/loss.h"

#include <algorithm>

#include "autograd/ops/linear.h"
#include "kernels/elementwise.h"
#include "kernels/matmul.h"
#include "kernels/softmax.h"

namespace heed::autograd {
namespace {

// About 8 MB of logits: enough rows for the products to run at full speed, few enough to stay near the cache between
// the forward and the backward.
Index default_chunk_rows(Index vocabulary) {
  return std::clamp<Index>((Index{2} << 20) / vocabulary / 16 * 16, 16, 1024);
}

// The logits of rows [row, row + n): those that are known stay, the others are computed, neighbors together.
Tensor complete_logits(const Tape& tape, const KnownLogits& known, Index row, Tensor x, Var w, Var b) {
  const auto is_known = [&](Index i) { return known.rows[static_cast<std::size_t>(row + i)] != 0; };
  for (Index from = 0, to = 0; from < x.rows(); from = to) {
    for (to = from + 1; to < x.rows() && is_known(to) == is_known(from);) ++to;
    if (!is_known(from))
      affine(tape, known.logits.slice_rows(row + from, to - from), x.slice_rows(from, to - from), w, b);
  }
  return known.logits.slice_rows(row, x.rows());
}

Ids most_probable(Arena& arena, Tensor logits) {
  const auto labels = arena.array<Id>(static_cast<std::size_t>(logits.rows()));
  for (Index i = 0; i < logits.rows(); ++i)
    labels[static_cast<std::size_t>(i)] = static_cast<Id>(kernels::argmax(logits, i));
  return labels;
}

}  // namespace

Tensor output_loss(Tape& tape, Var x, Var w, Var b, Ids labels, const LossOptions& options) {
  check_shape("output_loss", "x", x.value, static_cast<Index>(labels.size()), w.columns());
  if (b) check_shape("output_loss", "bias", b.value, 1, w.rows());
  check_ids("output_loss", labels, w.rows());
  const Tensor losses = tape.arena().tensor(tape.type(), x.rows(), 1);
  const Index limit = options.chunk_rows > 0 ? options.chunk_rows : default_chunk_rows(w.rows());
  const Index chunk = std::min(limit, std::max<Index>(x.rows(), 1));
  if (options.known) check_shape("output_loss", "known logits", options.known.logits, x.rows(), w.rows());
  const Tensor buffer = options.known ? Tensor{} : tape.arena().tensor(tape.type(), chunk, w.rows());
  for (Index row = 0; row < x.rows(); row += chunk) {
    const Index n = std::min(chunk, x.rows() - row);
    const Var part = x.slice_rows(row, n);
    const Tensor logits =
        options.known ? complete_logits(tape, options.known, row, part.value, w, b) : buffer.slice_rows(0, n);
    if (!options.known) affine(tape, logits, part.value, w, b);
    kernels::cross_entropy(losses.slice_rows(row, n), logits, labels.subspan(row, n),
                           {.smoothing = options.smoothing, .weight = options.weight, .gradient = tape.recording()});
    if (!tape.recording()) continue;
    if (part.grad) kernels::matmul(part.grad, logits, w.value, {.accumulate = true});
    if (w.grad) kernels::matmul(w.grad, logits, part.value, {.transpose_a = true, .accumulate = true});
    if (b.grad) kernels::broadcast_backward(b.grad, logits);
  }
  tape.record(Op::output_loss, [] {});
  return losses;
}

Ids predict(Tape& tape, Tensor x, Var w, Var b) {
  check_shape("predict", "x", x, -1, w.columns());
  const Tensor logits = tape.arena().tensor(tape.type(), x.rows(), w.rows());
  affine(tape, logits, x, w, b);
  return most_probable(tape.arena(), logits);
}

Ids predict(Tape& tape, Tensor x, Var w, Var b, const KnownLogits& known, Index row) {
  check_shape("predict", "x", x, -1, w.columns());
  const Tensor logits = known.logits.slice_rows(row, x.rows());
  affine(tape, logits, x, w, b);
  std::ranges::fill(known.rows.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(x.rows())), 1);
  return most_probable(tape.arena(), logits);
}

}  // namespace heed::autograd
