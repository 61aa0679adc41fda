// One step of attention as one operation: score, softmax, weighted sum (see kernels/attention.h for the equations).
// Keys and values are packed, sentence after sentence; `ranges` holds the rows that belong to each batch row.
// B batch, S longest source, N packed source rows, A attention size, D value size.
#pragma once

#include "autograd/tape.h"
#include "kernels/attention.h"

namespace heed::autograd {

struct AttentionOutput {
  Var context;  // [B,D]
  Var weights;  // [B,S]; zero past a sentence's end
  // [B,S], before the softmax; undefined past a sentence's end. Absent while recording, because the weights overwrite
  // the scores.
  Tensor scores;
};

// v · tanh(key + query) + bias; keys:[N,A], query:[B,A], v:[1,A], bias:[1,1] or absent, values:[N,D]
AttentionOutput additive_attention(Tape& tape, Var keys, Var values, Var query, Var v, Var bias,
                                   const RowRanges& ranges, Index longest);
// scale * key · query; keys:[N,A], query:[B,A]
AttentionOutput dot_attention(Tape& tape, Var keys, Var values, Var query, double scale, const RowRanges& ranges,
                              Index longest);
// key + query; keys:[N,1], query:[B,1]
AttentionOutput linear_attention(Tape& tape, Var keys, Var values, Var query, const RowRanges& ranges, Index longest);
// The caller computes scores:[B,M] for a fixed number M of positions. The softmax runs over all of them, so the weight
// past a sentence's end is lost. weights:[B,M]
AttentionOutput location_attention(Tape& tape, Var values, Var scores, const RowRanges& ranges);

// Cross-entropy between weights:[B,S] and the guides, one loss per row: [B,1] (see kernels/attention.h). Like
// output_loss, this is a root of the tape: backward() adds the gradient of weight * sum of losses. The guides must
// outlive the recording.
Tensor guide_attention(Tape& tape, Var weights, Guides guides, double weight);

// Softmax over the first lengths[i] columns of row i, zero after them.
Var masked_softmax(Tape& tape, Var x, Ids lengths);

}  // namespace heed::autograd
