// The arithmetic of one recurrent step after its matrix products, as PyTorch defines it. The caller computes
// gx = x W_ihᵀ + b_ih and gh = h W_hhᵀ + b_hh; the gates lie side by side in PyTorch's order. Backward functions add to
// gradients; d_h and d_c may be absent. B rows, H columns per gate.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

// r = σ(gx_r + gh_r)  z = σ(gx_z + gh_z)  n = tanh(gx_n + r gh_n)  h' = (1 - z) n + z h
// (Cho et al. 2014.) gates:[B,3H] receives r, z, n for the backward pass. h_next, h:[B,H]; gx, gh:[B,3H].
void gru_forward(Tensor h_next, Tensor gates, Tensor gx, Tensor gh, Tensor h);
void gru_backward(Tensor d_gx, Tensor d_gh, Tensor d_h, Tensor d_h_next, Tensor gates, Tensor gh, Tensor h);

// i, f, o = σ(gx + gh)  g = tanh(gx + gh)  c' = f c + i g  h' = o tanh(c')
// (Hochreiter and Schmidhuber 1997; Gers et al. 2000.) gates:[B,4H] receives i, f, g, o. h_next, c_next, c:[B,H]; gx,
// gh:[B,4H].
void lstm_forward(Tensor h_next, Tensor c_next, Tensor gates, Tensor gx, Tensor gh, Tensor c);
// d_c_next is the gradient that reaches c_next from later steps, or absent.
void lstm_backward(Tensor d_gx, Tensor d_gh, Tensor d_c, Tensor d_h_next, Tensor d_c_next, Tensor gates, Tensor c_next,
                   Tensor c);

// h' = tanh(gx + gh); all [B,H].
void rnn_forward(Tensor h_next, Tensor gx, Tensor gh);
void rnn_backward(Tensor d_gx, Tensor d_gh, Tensor d_h_next, Tensor h_next);

}  // namespace heed::kernels
