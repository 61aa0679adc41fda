#include "kernels/cell.h"

#include "kernels/dispatch.h"
#include "kernels/elementwise.h"
#include "kernels/ref/cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cell.cpp"
#include <hwy/foreach_target.h>

#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

// y (1 - y) d, the gradient through a sigmoid with output y.
HWY_INLINE V through_sigmoid(V y, V d) {
  return hn::Mul(hn::NegMulAdd(y, y, y), d);
}
// (1 - y^2) d, the gradient through a tanh with output y.
HWY_INLINE V through_tanh(V y, V d) {
  return hn::Mul(hn::NegMulAdd(y, y, set(1.0f)), d);
}

template <class P>
HWY_INLINE void accumulate_both(P part, V d, float* dx, float* dy) {
  accumulate(part, d, dx);
  accumulate(part, d, dy);
}

}  // namespace

void gru_forward(View<float> h_next, View<float> gates, View<float> gx, View<float> gh, View<float> h) {
  const Index size = h.columns;
  for (Index b = 0; b < h.rows; ++b) {
    const float *x = gx.row(b), *y = gh.row(b);
    float* const saved = gates.row(b);
    for_each(size, [&](auto part, Index j) HWY_ATTR {
      const V r = sigmoid(hn::Add(load(part, x + j), load(part, y + j)));
      const V z = sigmoid(hn::Add(load(part, x + size + j), load(part, y + size + j)));
      const V n = tanh(hn::MulAdd(r, load(part, y + 2 * size + j), load(part, x + 2 * size + j)));
      store(part, r, saved + j);
      store(part, z, saved + size + j);
      store(part, n, saved + 2 * size + j);
      store(part, hn::MulAdd(z, hn::Sub(load(part, h.row(b) + j), n), n), h_next.row(b) + j);
    });
  }
}

void gru_backward(View<float> d_gx, View<float> d_gh, View<float> d_h, View<float> d_h_next, View<float> gates,
                  View<float> gh, View<float> h) {
  const Index size = h.columns;
  for (Index b = 0; b < h.rows; ++b) {
    float *dx = d_gx.row(b), *dy = d_gh.row(b);
    const float* const saved = gates.row(b);
    for_each(size, [&](auto part, Index j) HWY_ATTR {
      const V r = load(part, saved + j), z = load(part, saved + size + j), n = load(part, saved + 2 * size + j);
      const V d = load(part, d_h_next.row(b) + j);
      const V d_z = through_sigmoid(z, hn::Mul(d, hn::Sub(load(part, h.row(b) + j), n)));
      const V d_n = through_tanh(n, hn::NegMulAdd(d, z, d));
      const V d_r = through_sigmoid(r, hn::Mul(d_n, load(part, gh.row(b) + 2 * size + j)));
      accumulate_both(part, d_r, dx + j, dy + j);
      accumulate_both(part, d_z, dx + size + j, dy + size + j);
      accumulate(part, d_n, dx + 2 * size + j);
      accumulate(part, hn::Mul(d_n, r), dy + 2 * size + j);
      if (d_h) accumulate(part, hn::Mul(d, z), d_h.row(b) + j);
    });
  }
}

void lstm_forward(View<float> h_next, View<float> c_next, View<float> gates, View<float> gx, View<float> gh,
                  View<float> c) {
  const Index size = c.columns;
  for (Index b = 0; b < c.rows; ++b) {
    const float *x = gx.row(b), *y = gh.row(b);
    float* const saved = gates.row(b);
    for_each(size, [&](auto part, Index j) HWY_ATTR {
      const V i = sigmoid(hn::Add(load(part, x + j), load(part, y + j)));
      const V f = sigmoid(hn::Add(load(part, x + size + j), load(part, y + size + j)));
      const V g = tanh(hn::Add(load(part, x + 2 * size + j), load(part, y + 2 * size + j)));
      const V o = sigmoid(hn::Add(load(part, x + 3 * size + j), load(part, y + 3 * size + j)));
      store(part, i, saved + j);
      store(part, f, saved + size + j);
      store(part, g, saved + 2 * size + j);
      store(part, o, saved + 3 * size + j);
      const V cell = hn::MulAdd(f, load(part, c.row(b) + j), hn::Mul(i, g));
      store(part, cell, c_next.row(b) + j);
      store(part, hn::Mul(o, tanh(cell)), h_next.row(b) + j);
    });
  }
}

void lstm_backward(View<float> d_gx, View<float> d_gh, View<float> d_c, View<float> d_h_next, View<float> d_c_next,
                   View<float> gates, View<float> c_next, View<float> c) {
  const Index size = c.columns;
  for (Index b = 0; b < c.rows; ++b) {
    float *dx = d_gx.row(b), *dy = d_gh.row(b);
    const float* const saved = gates.row(b);
    for_each(size, [&](auto part, Index j) HWY_ATTR {
      const V i = load(part, saved + j), f = load(part, saved + size + j);
      const V g = load(part, saved + 2 * size + j), o = load(part, saved + 3 * size + j);
      const V t = tanh(load(part, c_next.row(b) + j));
      const V d = load(part, d_h_next.row(b) + j);
      V d_cell = through_tanh(t, hn::Mul(d, o));
      if (d_c_next) d_cell = hn::Add(d_cell, load(part, d_c_next.row(b) + j));
      const V d_i = through_sigmoid(i, hn::Mul(d_cell, g));
      const V d_f = through_sigmoid(f, hn::Mul(d_cell, load(part, c.row(b) + j)));
      const V d_g = through_tanh(g, hn::Mul(d_cell, i));
      const V d_o = through_sigmoid(o, hn::Mul(d, t));
      accumulate_both(part, d_i, dx + j, dy + j);
      accumulate_both(part, d_f, dx + size + j, dy + size + j);
      accumulate_both(part, d_g, dx + 2 * size + j, dy + 2 * size + j);
      accumulate_both(part, d_o, dx + 3 * size + j, dy + 3 * size + j);
      if (d_c) accumulate(part, hn::Mul(d_cell, f), d_c.row(b) + j);
    });
  }
}

void rnn_forward(View<float> h_next, View<float> gx, View<float> gh) {
  for (Index b = 0; b < gx.rows; ++b)
    for_each(gx.columns, [&](auto part, Index j) HWY_ATTR {
      store(part, tanh(hn::Add(load(part, gx.row(b) + j), load(part, gh.row(b) + j))), h_next.row(b) + j);
    });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

// Every state is [rows, size], every gate tensor [rows, gates * size]; absent ones are skipped.
void check_cell(const char* cell, std::initializer_list<Tensor> states, std::initializer_list<Tensor> gates,
                Index gate_count) {
  const Tensor& first = *states.begin();
  for (const Tensor& state : states)
    if (state) check_shape(cell, "a state", state, first.rows(), first.columns());
  for (const Tensor& gate : gates)
    if (gate) check_shape(cell, "a gate tensor", gate, first.rows(), gate_count * first.columns());
  check_same_type(cell, states);
  check_same_type(cell, gates);
  check_same_type(cell, {first, *gates.begin()});
}

}  // namespace

void gru_forward(Tensor h_next, Tensor gates, Tensor gx, Tensor gh, Tensor h) {
  check_cell("gru", {h_next, h}, {gates, gx, gh}, 3);
  HEED_RUN(gru_forward, h.type(), h_next, gates, gx, gh, h);
}

void gru_backward(Tensor d_gx, Tensor d_gh, Tensor d_h, Tensor d_h_next, Tensor gates, Tensor gh, Tensor h) {
  check_cell("gru", {h, d_h, d_h_next}, {d_gx, d_gh, gates, gh}, 3);
  HEED_RUN(gru_backward, h.type(), d_gx, d_gh, d_h, d_h_next, gates, gh, h);
}

void lstm_forward(Tensor h_next, Tensor c_next, Tensor gates, Tensor gx, Tensor gh, Tensor c) {
  check_cell("lstm", {h_next, c_next, c}, {gates, gx, gh}, 4);
  HEED_RUN(lstm_forward, c.type(), h_next, c_next, gates, gx, gh, c);
}

void lstm_backward(Tensor d_gx, Tensor d_gh, Tensor d_c, Tensor d_h_next, Tensor d_c_next, Tensor gates, Tensor c_next,
                   Tensor c) {
  check_cell("lstm", {c, d_c, d_h_next, d_c_next, c_next}, {d_gx, d_gh, gates}, 4);
  HEED_RUN(lstm_backward, c.type(), d_gx, d_gh, d_c, d_h_next, d_c_next, gates, c_next, c);
}

void rnn_forward(Tensor h_next, Tensor gx, Tensor gh) {
  check_cell("rnn", {h_next}, {gx, gh}, 1);
  HEED_RUN(rnn_forward, gx.type(), h_next, gx, gh);
}

void rnn_backward(Tensor d_gx, Tensor d_gh, Tensor d_h_next, Tensor h_next) {
  check_cell("rnn", {h_next, d_h_next}, {d_gx, d_gh}, 1);
  tanh_backward(d_gx, d_h_next, h_next);
  tanh_backward(d_gh, d_h_next, h_next);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
