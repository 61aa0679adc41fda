#include "kernels/rows.h"

#include "kernels/dispatch.h"
#include "kernels/elementwise.h"
#include "kernels/int8.h"
#include "kernels/ref/rows.h"

namespace heed::kernels {
namespace {

void check_gather(const Tensor& x, const Tensor& out, Ids index) {
  check_shape("gather_rows", "the output", out, static_cast<Index>(index.size()), x.columns());
  check_ids("gather_rows", index, x.rows());
  check_same_type("gather_rows", {x, out});
}

}  // namespace

void gather_rows_forward(Tensor out, Tensor x, Ids index) {
  if (x.type() == DType::int8) return gather_int8_rows(out, x, index);
  check_gather(x, out, index);
  HEED_RUN_REF(gather_rows_forward, x.type(), out, x, index);
}

void gather_rows_backward(Tensor d_x, Tensor d_out, Ids index) {
  check_gather(d_x, d_out, index);
  for (Index i = 0; i < d_out.rows(); ++i) add_to(d_x.slice_rows(index[i], 1), d_out.slice_rows(i, 1));
}

}  // namespace heed::kernels
