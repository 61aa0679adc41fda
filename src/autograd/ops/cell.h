// One step of a recurrent cell after its matrix products, gx = x W_ihᵀ + b_ih and gh = h W_hhᵀ + b_hh, with the gates
// side by side in PyTorch's order (see kernels/cell.h for the equations). B rows, H columns per gate.
#pragma once

#include "autograd/tape.h"

namespace heed::autograd {

// gx, gh:[B,3H], h:[B,H] -> the next state [B,H]
Var gru_step(Tape& tape, Var gx, Var gh, Var h);

struct LstmState {
  Var h;
  Var c;
};
// gx, gh:[B,4H], c:[B,H] -> the next output and cell state, [B,H] each
LstmState lstm_step(Tape& tape, Var gx, Var gh, Var c);

// gx, gh:[B,H] -> tanh(gx + gh)
Var rnn_step(Tape& tape, Var gx, Var gh);

}  // namespace heed::autograd
