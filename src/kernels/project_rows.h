// The output layer for some words only: y = x W[words]ᵀ + b[words], without a copy of the chosen rows of W.
//
// An element of y is the sum of two chains of multiply-adds, one over the even and one over the odd vectors of the
// columns. Its bits depend only on its row of x and its word, not on the other rows or words. (They differ from those
// of matmul.h, which sums in another order.)
#pragma once

#include <span>

#include "tensor/ids.h"
#include "tensor/tensor.h"

namespace heed::kernels {

// y:[N,words], x:[N,in], w:[out,in] in int8 or the type of x and y, bias:[1,out], may be absent.
void project_rows(Tensor y, Tensor x, Tensor w, Tensor bias, Ids words);

// The same for groups of rows, each with its own words. If these are ascending, the product goes through W once, part
// by part, for all groups together, so that words that several groups share are read from the cache.
struct WordGroup {
  Tensor y;  // [N,words]
  Tensor x;  // [N,in]
  Ids words;
  std::size_t done = 0;  // used by the kernel: the words before it are computed; 0 at first
};
void project_groups(std::span<WordGroup> groups, Tensor w, Tensor bias);

}  // namespace heed::kernels
