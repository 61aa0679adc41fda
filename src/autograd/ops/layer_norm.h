// Layer normalization (see kernels/layer_norm.h for the equation).
#pragma once

#include "autograd/tape.h"

namespace heed::autograd {

// x:[N,C], gain, bias:[1,C] -> [N,C]
Var layer_norm(Tape& tape, Var x, Var gain, Var bias);

}  // namespace heed::autograd
