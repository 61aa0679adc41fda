// Arrays of integers for operations on tensors: token ids, labels, lengths, and the rows of each sentence.
#pragma once

#include <cstdint>
#include <span>

#include "base/index.h"

namespace heed::inline tensor {

using Id = std::int32_t;
using Ids = std::span<const Id>;

// The rows of a packed matrix that belong to each row of a batch: row b owns `length[b]` rows, the first of which is
// `begin[b]`. Batch rows may own the same rows (the hypotheses of one sentence).
struct RowRanges {
  Ids begin;
  Ids length;
};

// Throws a ShapeError unless both arrays have `count` entries and every range lies within `rows` rows.
void check_row_ranges(const char* operation, const RowRanges& ranges, Index count, Index rows);
// Throws a ShapeError that names the first id outside [0, bound).
void check_ids(const char* operation, Ids ids, Index bound);

}  // namespace heed::tensor
