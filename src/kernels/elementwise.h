// Element-wise sums, products and activations. Outputs come first; *_backward and *_to functions add to their output.
// All tensors of a call have the same shape and type unless stated otherwise.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

void fill(Tensor out, double value);
void copy(Tensor out, Tensor x);
void add_to(Tensor out, Tensor x);                    // out += x
void add_forward(Tensor out, Tensor a, Tensor b);     // out = a + b
void mul_forward(Tensor out, Tensor a, Tensor b);     // out = a * b
void add_product_to(Tensor out, Tensor a, Tensor b);  // out += a * b

// bias:[1,C], out, d_out:[N,C]
void broadcast_forward(Tensor out, Tensor bias);       // out[i] = bias
void broadcast_backward(Tensor d_bias, Tensor d_out);  // d_bias += sum of d_out's rows, top to bottom

// Activations; the backward pass needs only the output.
void tanh_forward(Tensor out, Tensor x);
void tanh_backward(Tensor d_x, Tensor d_out, Tensor out);
void sigmoid_forward(Tensor out, Tensor x);
void sigmoid_backward(Tensor d_x, Tensor d_out, Tensor out);
void relu_forward(Tensor out, Tensor x);
void relu_backward(Tensor d_x, Tensor d_out, Tensor out);

// The sum of squares; the sums of the rows are accumulated in double.
double sum_of_squares(Tensor x);

}  // namespace heed::kernels
