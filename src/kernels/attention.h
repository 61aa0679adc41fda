// One step of attention in two halves: scores of a batch of queries against the keys of their sentences, then softmax
// and the weighted sum of the values. Keys and values are packed without padding, sentence after sentence; `ranges`
// holds the rows that belong to each batch row. Backward functions add to gradients and skip absent ones.
// B batch, S longest source, N packed source rows, A attention size, D value size.
#pragma once

#include "tensor/guide.h"
#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// scores[b][s] = v · tanh(keys[s] + query[b]) + bias (Bahdanau et al. 2015, eq. in appendix A.1.2).
// scores:[B,S], keys:[N,A], query:[B,A], v:[1,A], bias:[1,1] or absent. Columns past the end of a
// sentence are not written.
void additive_score_forward(Tensor scores, Tensor keys, Tensor query, Tensor v, Tensor bias, const RowRanges& ranges);
void additive_score_backward(Tensor d_keys, Tensor d_query, Tensor d_v, Tensor d_bias, Tensor d_scores, Tensor keys,
                             Tensor query, Tensor v, const RowRanges& ranges);

// scores[b][s] = scale * keys[s] · query[b] (Luong et al. 2015).
void dot_score_forward(Tensor scores, Tensor keys, Tensor query, double scale, const RowRanges& ranges);
void dot_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, Tensor keys, Tensor query, double scale,
                        const RowRanges& ranges);

// scores[b][s] = keys[s] + query[b]; keys:[N,1], query:[B,1].
void linear_score_forward(Tensor scores, Tensor keys, Tensor query, const RowRanges& ranges);
void linear_score_backward(Tensor d_keys, Tensor d_query, Tensor d_scores, const RowRanges& ranges);

// The columns that a row's softmax normalizes over: those of the sentence, or all (location attention, where the weight
// past the end of the sentence is lost).
enum class Support { sentence, all_columns };

// weights = softmax(scores), context[b] = sum over s of weights[b][s] values[s]; context:[B,D], values:[N,D]. `weights`
// may alias `scores`. With Support::sentence, columns past the end of a sentence become zero.
void attend_forward(Tensor context, Tensor weights, Tensor scores, Tensor values, const RowRanges& ranges,
                    Support support);
// Overwrites d_scores. d_weights is the gradient that reaches the weights from other operations, or absent.
void attend_backward(Tensor d_values, Tensor d_scores, Tensor d_context, Tensor d_weights, Tensor weights,
                     Tensor values, const RowRanges& ranges, Support support);

// Cross-entropy between weights:[B,S] and guides, which may come in any order (Chen et al. 2016, eq. 4):
// losses[b] = - sum over the guides of row b of guide.weight * log(weights[b][guide.column] + 1e-8), losses:[B,1].
void guide_forward(Tensor losses, Tensor weights, Guides guides);
// d_weights += the gradient of scale * sum of losses.
void guide_backward(Tensor d_weights, Tensor weights, Guides guides, double scale);

}  // namespace heed::kernels
