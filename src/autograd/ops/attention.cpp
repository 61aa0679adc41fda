#include "autograd/ops/attention.h"

#include "kernels/elementwise.h"
#include "kernels/softmax.h"

namespace heed::autograd {

namespace {

AttentionOutput new_attended(Tape& tape, Index batch, Index longest, const Var& values) {
  const Var weights = tape.variable(batch, longest);
  const Tensor scores = tape.recording() ? Tensor{} : tape.arena().tensor(tape.type(), batch, longest);
  return {tape.variable(batch, values.columns()), weights, scores};
}

Tensor place_of_scores(const AttentionOutput& out) {
  return out.scores ? out.scores : out.weights.value;
}

// Softmax and weighted sum.
void attend(const AttentionOutput& out, const Var& values, const RowRanges& ranges) {
  kernels::attend_forward(out.context.value, out.weights.value, place_of_scores(out), values.value, ranges,
                          kernels::Support::sentence);
}

// Back through the weighted sum and the softmax; returns the scores' gradient.
Tensor attend_backward(Arena& arena, const AttentionOutput& out, const Var& values, const RowRanges& ranges,
                       kernels::Support support) {
  const Tensor& weights = out.weights.value;
  const Tensor d_scores = arena.tensor(weights.type(), weights.rows(), weights.columns());
  kernels::attend_backward(values.grad, d_scores, out.context.grad, out.weights.grad, weights, values.value, ranges,
                           support);
  return d_scores;
}

}  // namespace

AttentionOutput additive_attention(Tape& tape, Var keys, Var values, Var query, Var v, Var bias,
                                   const RowRanges& ranges, Index longest) {
  check_shape("additive attention", "values", values.value, keys.rows(), -1);
  const AttentionOutput out = new_attended(tape, query.rows(), longest, values);
  kernels::additive_score_forward(place_of_scores(out), keys.value, query.value, v.value, bias.value, ranges);
  attend(out, values, ranges);
  tape.record(Op::additive_attention, [=, arena = &tape.arena()] {
    const Tensor d_scores = attend_backward(*arena, out, values, ranges, kernels::Support::sentence);
    kernels::additive_score_backward(keys.grad, query.grad, v.grad, bias.grad, d_scores, keys.value, query.value,
                                     v.value, ranges);
  });
  return out;
}

AttentionOutput dot_attention(Tape& tape, Var keys, Var values, Var query, double scale, const RowRanges& ranges,
                              Index longest) {
  check_shape("dot attention", "values", values.value, keys.rows(), -1);
  const AttentionOutput out = new_attended(tape, query.rows(), longest, values);
  kernels::dot_score_forward(place_of_scores(out), keys.value, query.value, scale, ranges);
  attend(out, values, ranges);
  tape.record(Op::dot_attention, [=, arena = &tape.arena()] {
    const Tensor d_scores = attend_backward(*arena, out, values, ranges, kernels::Support::sentence);
    kernels::dot_score_backward(keys.grad, query.grad, d_scores, keys.value, query.value, scale, ranges);
  });
  return out;
}

AttentionOutput linear_attention(Tape& tape, Var keys, Var values, Var query, const RowRanges& ranges, Index longest) {
  check_shape("linear attention", "values", values.value, keys.rows(), -1);
  const AttentionOutput out = new_attended(tape, query.rows(), longest, values);
  kernels::linear_score_forward(place_of_scores(out), keys.value, query.value, ranges);
  attend(out, values, ranges);
  tape.record(Op::linear_attention, [=, arena = &tape.arena()] {
    const Tensor d_scores = attend_backward(*arena, out, values, ranges, kernels::Support::sentence);
    kernels::linear_score_backward(keys.grad, query.grad, d_scores, ranges);
  });
  return out;
}

AttentionOutput location_attention(Tape& tape, Var values, Var scores, const RowRanges& ranges) {
  AttentionOutput out = new_attended(tape, scores.rows(), scores.columns(), values);
  out.scores = scores.value;
  kernels::attend_forward(out.context.value, out.weights.value, scores.value, values.value, ranges,
                          kernels::Support::all_columns);
  tape.record(Op::location_attention, [=, arena = &tape.arena()] {
    const Tensor d_scores = attend_backward(*arena, out, values, ranges, kernels::Support::all_columns);
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
