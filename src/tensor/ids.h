// Integers that index the rows of a tensor: token ids, labels, lengths, and the rows that belong to each sentence.
#pragma once

#include <cstdint>
#include <span>

#include "base/index.h"

namespace heed::inline tensor {

using Id = std::int32_t;
using Ids = std::span<const Id>;

// Which rows of a packed matrix belong to which row of a batch: row b owns `length[b]` rows from `begin[b]` on.
// Several batch rows may share their rows (the hypotheses of one sentence).
struct RowRanges {
  Ids begin;
  Ids length;
};

// A ShapeError unless both arrays have `count` entries and every range lies within `rows` rows.
void check_row_ranges(const char* operation, const RowRanges& ranges, Index count, Index rows);
// A ShapeError naming the first id outside [0, bound).
void check_ids(const char* operation, Ids ids, Index bound);

}  // namespace heed::tensor
