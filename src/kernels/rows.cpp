#include "kernels/rows.h"

#include <algorithm>

#include "kernels/elementwise.h"
#include "kernels/ref/rows.h"

namespace heed::kernels {
namespace {

void check_gather(const Tensor& x, const Tensor& out, Ids index) {
  check_shape("gather_rows", "the output", out, static_cast<Index>(index.size()), x.columns());
  check_ids("gather_rows", index, x.rows());
}

}  // namespace

void gather_rows_forward(Tensor out, Tensor x, Ids index) {
  check_gather(x, out, index);
  check_same_type("gather_rows", {x, out});
  if (x.type() == DType::f64) return ref::gather_rows_forward<double>(out, x, index);
  for (Index i = 0; i < out.rows(); ++i) std::copy_n(x.row<float>(index[i]), x.columns(), out.row<float>(i));
}

void gather_rows_backward(Tensor d_x, Tensor d_out, Ids index) {
  check_gather(d_x, d_out, index);
  check_same_type("gather_rows", {d_x, d_out});
  if (d_x.type() == DType::f64) return ref::gather_rows_backward<double>(d_x, d_out, index);
  for (Index i = 0; i < d_out.rows(); ++i) add_to(d_x.slice_rows(index[i], 1), d_out.slice_rows(i, 1));
}

}  // namespace heed::kernels
