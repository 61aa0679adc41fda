// One update of parameters from their gradients. All tensors of a call have the same shape and type. The gradient is
// multiplied by `scale` first (gradient clipping).
#pragma once

#include "tensor/tensor.h"

namespace heed::kernels {

// Adam (Kingma and Ba 2015) as in PyTorch, with decoupled weight decay (Loshchilov and Hutter 2019):
//   p -= rate decay p;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   p -= rate / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon)
struct AdamStep {
  double rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, decay = 0, scale = 1;
  long t = 1;  // number of this update, from 1
};
void adam_update(Tensor p, Tensor m, Tensor v, Tensor gradient, const AdamStep& step);

// Gradient descent with momentum as in PyTorch: velocity = momentum velocity + g;  p -= rate velocity.
// velocity is absent without momentum.
struct SgdStep {
  double rate = 0.01, momentum = 0, scale = 1;
};
void sgd_update(Tensor p, Tensor velocity, Tensor gradient, const SgdStep& step);

}  // namespace heed::kernels
