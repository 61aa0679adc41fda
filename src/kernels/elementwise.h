// Element by element: sums, products, activations, rows shared by a batch. Outputs come first; what a *_backward or
// *_to function writes is added to what is there. All tensors of a call have one shape and one type unless said
// otherwise.
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

void fill(Tensor out, double value);
void copy(Tensor out, Tensor x);
void add_to(Tensor out, Tensor x);                   // out += x
void scale_to(Tensor out, double factor, Tensor x);  // out += factor * x
void add_forward(Tensor out, Tensor a, Tensor b);    // out = a + b
void mul_forward(Tensor out, Tensor a, Tensor b);    // out = a * b
void mul_to(Tensor out, Tensor a, Tensor b);         // out += a * b

// One row for all: bias is [1, columns].
void broadcast_forward(Tensor out, Tensor bias);       // out[i] = bias
void broadcast_backward(Tensor d_bias, Tensor d_out);  // d_bias += sum of d_out's rows, top to bottom

// Activations; the backward needs the output only. exp is there for the tests of its accuracy.
void exp_forward(Tensor out, Tensor x);
void tanh_forward(Tensor out, Tensor x);
void tanh_backward(Tensor d_x, Tensor d_out, Tensor out);
void sigmoid_forward(Tensor out, Tensor x);
void sigmoid_backward(Tensor d_x, Tensor d_out, Tensor out);
void relu_forward(Tensor out, Tensor x);
void relu_backward(Tensor d_x, Tensor d_out, Tensor out);

// The sum of squares, added up row by row in double.
double sum_of_squares(Tensor x);

}  // namespace heed::kernels
