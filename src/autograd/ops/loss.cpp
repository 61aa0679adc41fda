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

}  // namespace

Tensor output_loss(Tape& tape, Var x, Var w, Var b, Ids labels, const LossOptions& options) {
  check_shape("output_loss", "x", x.value, static_cast<Index>(labels.size()), w.columns());
  if (b) check_shape("output_loss", "bias", b.value, 1, w.rows());
  check_ids("output_loss", labels, w.rows());
  const Tensor losses = tape.arena().tensor(tape.type(), x.rows(), 1);
  const Index limit = options.chunk_rows > 0 ? options.chunk_rows : default_chunk_rows(w.rows());
  const Index chunk = std::min(limit, std::max<Index>(x.rows(), 1));
  const Tensor buffer = tape.arena().tensor(tape.type(), chunk, w.rows());
  for (Index row = 0; row < x.rows(); row += chunk) {
    const Index n = std::min(chunk, x.rows() - row);
    const Tensor logits = buffer.slice_rows(0, n);
    const Var part = x.slice_rows(row, n);
    affine(tape, logits, part.value, w, b);
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
  const auto labels = tape.arena().array<Id>(static_cast<std::size_t>(x.rows()));
  const Tensor logits = tape.arena().tensor(tape.type(), x.rows(), w.rows());
  affine(tape, logits, x, w, b);
  for (Index i = 0; i < x.rows(); ++i)
    labels[static_cast<std::size_t>(i)] = static_cast<Id>(kernels::argmax(logits, i));
  return labels;
}

}  // namespace heed::autograd
