// Element by element, and the moving of rows and columns.
#pragma once

#include <initializer_list>
#include <span>

#include "autograd/tape.h"
#include "kernels/dropout.h"

namespace heed::autograd {

Var add(Tape& tape, Var a, Var b);
Var mul(Tape& tape, Var a, Var b);
Var tanh(Tape& tape, Var x);
Var sigmoid(Tape& tape, Var x);
Var relu(Tape& tape, Var x);

// out = x, into a slice of a larger variable that nothing has read yet.
void write(Tape& tape, Var out, Var x);
// The variables side by side: [N,a], [N,b], … -> [N,a+b+…]
Var concat(Tape& tape, std::initializer_list<Var> parts);
Var concat(Tape& tape, std::span<const Var> parts);
// One row for all: row:[1,C] -> [rows,C]
Var broadcast(Tape& tape, Var row, Index rows);

// x:[V,C], index:[N] -> [N,C]; an index may repeat.
Var gather_rows(Tape& tape, Var x, Ids index);
// The rows of a parameter; its gradient notes which rows were touched if the parameter is sparse.
Var embedding(Tape& tape, ParameterId table, Ids ids);

// Zeroes elements at random and scales the rest so that the mean stays. keys[i] names row i (see kernels/dropout.h).
// A rate of 0, and a tape that does not record, leave x as it is.
struct Dropout {
  double rate = 0;
  Random random{0, Stream::dropout};
  bool whole_rows = false;  // a row is kept or zeroed as one
};
Var dropout(Tape& tape, Var x, const Dropout& dropout, kernels::RowKeys keys);
// What dropout multiplies with, as a constant of one row per key: for a mask that several steps share. Absent if
// dropout would do nothing.
Var dropout_mask(Tape& tape, Index columns, const Dropout& dropout, kernels::RowKeys keys);

}  // namespace heed::autograd
