// Element-wise operations, and operations that move rows and columns.
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

// out = x; out is a slice of a larger variable that no operation has read yet.
void write(Tape& tape, Var out, Var x);
// Joins variables side by side: [N,a], [N,b], … -> [N,a+b+…]
Var concat(Tape& tape, std::initializer_list<Var> parts);
Var concat(Tape& tape, std::span<const Var> parts);
// Repeats a row: [1,C] -> [rows,C]
Var broadcast(Tape& tape, Var row, Index rows);

// x:[V,C], index:[N] -> [N,C]; an index may repeat.
Var gather_rows(Tape& tape, Var x, Ids index);
// Rows of a parameter; if it is sparse, its gradient keeps a list of the touched rows.
Var embedding(Tape& tape, ParameterId table, Ids ids);

// Sets random elements to zero and scales the rest by 1 / (1 - rate) (Srivastava et al. 2014). keys[i] is the key of
// row i (see kernels/dropout.h). Returns x if the rate is 0 or the tape does not record.
struct Dropout {
  double rate = 0;
  Random random{0, Stream::dropout};
  bool whole_rows = false;  // keep or drop all elements of a row together
};
Var dropout(Tape& tape, Var x, const Dropout& dropout, kernels::RowKeys keys);
// The mask of dropout, 0 or 1 / (1 - rate), as a constant with one row per key: for a mask that several steps share.
// Absent if the rate is 0 or the tape does not record.
Var dropout_mask(Tape& tape, Index columns, const Dropout& dropout, kernels::RowKeys keys);

}  // namespace heed::autograd
