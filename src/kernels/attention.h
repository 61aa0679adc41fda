// One step of attention, in two halves: scores of a batch of queries against their sentences' keys, then softmax and
// the weighted sum of the values. Keys and values are packed without padding, sentence after sentence; ranges say which
// rows belong to batch row b. B batch, S longest source, N packed source rows, A attention size, D value size.
#pragma once

#include "tensor/guide.h"
#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// scores[b][s] = v · tanh(keys[s] + query[b]) + bias (Bahdanau et al. 2015, eq. in appendix A.1.2).
// scores:[B,S], keys:[N,A], query:[B,A], v:[1,A], bias:[1,1] or absent. Columns past a span are not touched.
void additive_score_forward(Tensor scores, Tensor keys, Tensor query, Tensor v, Tensor bias, const RowRanges& ranges);
void additive_score_backward(Tensor d_keys, Tensor d_query, Tensor d_v, Tensor d_bias, Tensor d_scores, Tensor keys,
                             Tensor query, Tensor v, const RowRanges& ranges);

// scores[b][s] = scale * keys[s] · query[b] (Luong et al. 2015, eq. 8).
void dot_score_forward(Tensor scores, Tensor keys, Tensor query, double scale, const RowRanges& ranges);
void dot_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, Tensor keys, Tensor query, double scale,
                        const RowRanges& ranges);

// scores[b][s] = keys[s] + query[b], both one number per row: keys:[N,1], query:[B,1].
void linear_score_forward(Tensor scores, Tensor keys, Tensor query, const RowRanges& ranges);
void linear_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, const RowRanges& ranges);

// What the softmax of a row runs over: the sentence's own positions, or every column (location attention, whose mass
// past the sentence meets nothing).
enum class Support { sentence, all_columns };

// weights = softmax(scores), context[b] = sum over s of weights[b][s] values[s]; context:[B,D], values:[N,D].
// weights may be scores. With Support::sentence, columns past a span become zero.
void attend_forward(Tensor context, Tensor weights, Tensor scores, Tensor values, const RowRanges& ranges,
                    Support support);
// d_scores is overwritten, not added to. d_weights, the gradient that reaches the weights from elsewhere, may be
// absent.
void attend_backward(Tensor d_values, Tensor d_scores, Tensor d_context, Tensor d_weights, Tensor weights,
                     Tensor values, const RowRanges& ranges, Support support);

// Cross-entropy between weights:[B,S] and guides, in any order, row by row (Chen et al. 2016, eq. 4):
// losses[b] = - sum over the guides of row b of weight * log(weights[b][column] + a little), losses:[B,1].
void guide_forward(Tensor losses, Tensor weights, Guides guides);
// d_weights += the gradient of scale * the sum of the losses.
void guide_backward(Tensor d_weights, Tensor weights, Guides guides, double scale);

}  // namespace heed::kernels
