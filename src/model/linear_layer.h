// A linear layer's parameters: y = W x + b.
#pragma once

#include "autograd/ops/linear.h"
#include "model/autograd.h"

namespace heed::model {

struct LinearLayer {
  ParameterId weight;  // [out,in]
  ParameterId bias;    // [out]; may be absent

  // Declares MODULE.weight and, with `bias`, MODULE.bias.
  static LinearLayer declare(Parameters& parameters, const std::string& module, Index out, Index in, bool bias = true) {
    LinearLayer layer;
    layer.weight = parameters.add(module + ".weight", {out, in});
    if (bias) layer.bias = parameters.add(module + ".bias", {out}, {.fan_in = in});
    return layer;
  }

  Var weights(Tape& tape) const { return tape.parameter(weight); }
  Var biases(Tape& tape) const { return bias ? tape.parameter(bias) : Var{}; }
  // x:[n,in] -> [n,out]
  Var operator()(Tape& tape, Var x) const { return linear(tape, x, weights(tape), biases(tape)); }
};

}  // namespace heed::model
