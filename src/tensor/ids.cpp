#include "tensor/ids.h"

#include "base/error.h"

namespace heed::inline tensor {

void check_row_ranges(const char* operation, const RowRanges& ranges, Index count, Index rows) {
  check(static_cast<Index>(ranges.begin.size()) == count && ranges.begin.size() == ranges.length.size(),
        "{}: row ranges of {} and {} entries for {} rows", operation, ranges.begin.size(), ranges.length.size(), count);
  for (std::size_t i = 0; i < ranges.begin.size(); ++i)
    check(ranges.begin[i] >= 0 && ranges.length[i] >= 0 && Index{ranges.begin[i]} + ranges.length[i] <= rows,
          "{}: batch row {} owns the rows [{}, {}), but there are {}", operation, i, ranges.begin[i],
          Index{ranges.begin[i]} + ranges.length[i], rows);
}

void check_ids(const char* operation, Ids ids, Index bound) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    check(ids[i] >= 0 && ids[i] < bound, "{}: id {} at position {} is not within 0 to {}", operation, ids[i], i,
          bound - 1);
}

}  // namespace heed::tensor
