#include "kernels/dropout.h"

#include "kernels/ref/dropout.h"

namespace heed::kernels {
namespace {

void check_dropout(const Tensor& out, const Tensor& x, std::size_t mask, double rate) {
  check(rate >= 0 && rate < 1, "dropout: the rate is {}, expected 0 to below 1", rate);
  check_shape("dropout", "the output", out, x.rows(), x.columns());
  check_same_type("dropout", {out, x});
  check(static_cast<Index>(mask) == x.elements(), "dropout: a mask of {} for {} elements", mask, x.elements());
}

}  // namespace

void dropout_forward(Tensor out, std::span<std::uint8_t> mask, Tensor x, double rate, const Random& random,
                     RowKeys keys) {
  check_dropout(out, x, mask.size(), rate);
  check(static_cast<Index>(keys.size()) == x.rows(), "dropout: {} row keys for {} rows", keys.size(), x.rows());
  if (x.type() == DType::f64) return ref::dropout_forward<double>(out, mask.data(), x, rate, random, keys);
  ref::dropout_forward<float>(out, mask.data(), x, static_cast<float>(rate), random, keys);
}

void dropout_backward(Tensor d_x, Tensor d_out, std::span<const std::uint8_t> mask, double rate) {
  check_dropout(d_x, d_out, mask.size(), rate);
  if (d_x.type() == DType::f64) return ref::dropout_backward<double>(d_x, d_out, mask.data(), rate);
  ref::dropout_backward<float>(d_x, d_out, mask.data(), static_cast<float>(rate));
}

}  // namespace heed::kernels
