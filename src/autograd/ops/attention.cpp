#include "autograd/ops/attention.h"

#include "kernels/elementwise.h"
#include "kernels/softmax.h"

namespace heed::autograd {
namespace {

using kernels::Support;

// Back through the weighted sum and the softmax; returns the gradient of the scores.
Tensor attend_backward(Arena& arena, const AttentionOutput& out, const Var& values, const RowRanges& ranges,
                       Support support) {
  const Tensor& weights = out.weights.value;
  const Tensor d_scores = arena.tensor(weights.type(), weights.rows(), weights.columns());
  kernels::attend_backward(values.grad, d_scores, out.context.grad, out.weights.grad, weights, values.value, ranges,
                           support);
  return d_scores;
}

// score_forward(scores) computes the scores, score_backward(d_scores) adds to the gradients of its inputs.
template <class Forward, class Backward>
AttentionOutput attention(Tape& tape, Op op, const Var& keys, const Var& values, const Var& query,
                          const RowRanges& ranges, Index longest, Forward score_forward, Backward score_backward) {
  check_shape(kOpNames[static_cast<std::size_t>(op)].data(), "values", values.value, keys.rows(), -1);
  const Var weights = tape.variable(query.rows(), longest);
  const Tensor scores = tape.recording() ? Tensor{} : tape.arena().tensor(tape.type(), query.rows(), longest);
  const AttentionOutput out{tape.variable(query.rows(), values.columns()), weights, scores};
  const Tensor score_buffer = scores ? scores : weights.value;
  score_forward(score_buffer);
  kernels::attend_forward(out.context.value, weights.value, score_buffer, values.value, ranges, Support::sentence);
  tape.record(op, [=, arena = &tape.arena()] {
    score_backward(attend_backward(*arena, out, values, ranges, Support::sentence));
  });
  return out;
}

}  // namespace

AttentionOutput additive_attention(Tape& tape, Var keys, Var values, Var query, Var v, Var bias,
                                   const RowRanges& ranges, Index longest) {
  return attention(
      tape, Op::additive_attention, keys, values, query, ranges, longest,
      [=](Tensor scores) {
        kernels::additive_score_forward(scores, keys.value, query.value, v.value, bias.value, ranges);
      },
      [=](Tensor d_scores) {
        kernels::additive_score_backward(keys.grad, query.grad, v.grad, bias.grad, d_scores, keys.value, query.value,
                                         v.value, ranges);
      });
}

AttentionOutput dot_attention(Tape& tape, Var keys, Var values, Var query, double scale, const RowRanges& ranges,
                              Index longest) {
  return attention(
      tape, Op::dot_attention, keys, values, query, ranges, longest,
      [=](Tensor scores) { kernels::dot_score_forward(scores, keys.value, query.value, scale, ranges); },
      [=](Tensor d_scores) {
        kernels::dot_score_backward(keys.grad, query.grad, d_scores, keys.value, query.value, scale, ranges);
      });
}

AttentionOutput linear_attention(Tape& tape, Var keys, Var values, Var query, const RowRanges& ranges, Index longest) {
  return attention(
      tape, Op::linear_attention, keys, values, query, ranges, longest,
      [=](Tensor scores) { kernels::linear_score_forward(scores, keys.value, query.value, ranges); },
      [=](Tensor d_scores) { kernels::linear_score_backward(keys.grad, query.grad, d_scores, ranges); });
}

AttentionOutput location_attention(Tape& tape, Var values, Var scores, const RowRanges& ranges) {
  const AttentionOutput out{tape.variable(scores.rows(), values.columns()),
                            tape.variable(scores.rows(), scores.columns()), scores.value};
  kernels::attend_forward(out.context.value, out.weights.value, scores.value, values.value, ranges,
                          Support::all_columns);
  tape.record(Op::location_attention, [=, arena = &tape.arena()] {
    const Tensor d_scores = attend_backward(*arena, out, values, ranges, Support::all_columns);
    if (scores.grad) kernels::add_to(scores.grad, d_scores);
  });
  return out;
}

Tensor guide_attention(Tape& tape, Var weights, Guides guides, double weight) {
  const Tensor losses = tape.arena().tensor(tape.type(), weights.rows(), 1);
  kernels::guide_forward(losses, weights.value, guides);
  tape.record(Op::guide_attention, [=] {
    if (weights.grad) kernels::guide_backward(weights.grad, weights.value, guides, weight);
  });
  return losses;
}

Var masked_softmax(Tape& tape, Var x, Ids lengths) {
  const Var y = tape.variable(x.rows(), x.columns());
  kernels::softmax_forward(y.value, x.value, lengths);
  tape.record(Op::softmax, [=] {
    if (x.grad) kernels::softmax_backward(x.grad, y.grad, y.value, lengths);
  });
  return y;
}

}  // namespace heed::autograd
