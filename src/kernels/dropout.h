// Dropout with masks from the counter-based generator of base/random.h. A mask bit depends only on the generator's key,
// the row's key and the column, so a row gets the same mask on every thread and however the batch is split.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "tensor/tensor.h"

namespace heed::kernels {

using RowKeys = std::span<const std::uint32_t>;

// out = x * mask / (1 - rate); mask:[rows * columns] receives 1 for kept elements and 0 for dropped ones.
// keys[i] is the key of row i; rows with the same key get the same mask (one mask for all steps of a sentence). With
// `whole_rows`, all elements of a row are kept or dropped together.
void dropout_forward(Tensor out, std::span<std::uint8_t> mask, Tensor x, double rate, const Random& random,
                     RowKeys keys, bool whole_rows = false);
void dropout_backward(Tensor d_x, Tensor d_out, std::span<const std::uint8_t> mask, double rate);

}  // namespace heed::kernels
