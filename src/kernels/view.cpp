#include "kernels/view.h"

namespace heed::kernels {

void check_spans(const char* operation, const Spans& spans, Index count, Index rows) {
  check(static_cast<Index>(spans.begin.size()) == count && spans.begin.size() == spans.length.size(),
        "{}: spans of {} and {} entries for {} rows", operation, spans.begin.size(), spans.length.size(), count);
  for (std::size_t i = 0; i < spans.begin.size(); ++i)
    check(spans.begin[i] >= 0 && spans.length[i] >= 0 && Index{spans.begin[i]} + spans.length[i] <= rows,
          "{}: row {} owns rows {} to {}, but there are {}", operation, i, spans.begin[i],
          Index{spans.begin[i]} + spans.length[i], rows);
}

void check_ids(const char* operation, Ids ids, Index bound) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    check(ids[i] >= 0 && ids[i] < bound, "{}: id {} at position {} is not within 0 to {}", operation, ids[i], i,
          bound - 1);
}

}  // namespace heed::kernels
