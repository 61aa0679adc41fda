// Recurrent cells. To add one: its step function and its row in the table of cell.cpp, and its value in enum class Cell
// (config.h).
#pragma once

#include <string_view>

#include "model/autograd.h"
#include "model/config.h"

namespace heed::model {

// The state of a cell between two steps; only an LSTM has c, the cell state.
struct CellState {
  Var h;  // [B,H]
  Var c;  // [B,H]

  CellState slice_rows(Index from, Index count) const {
    return {h.slice_rows(from, count), c ? c.slice_rows(from, count) : Var{}};
  }
};

// gx = W_ih x + b_ih and gh = W_hh h + b_hh, [B,gates*H]: the projections of the input and of the previous state.
using CellStep = CellState(Tape& tape, Var gx, Var gh, const CellState& before);

struct CellKind {
  Cell value;
  std::string_view name;
  int gates;            // blocks of H rows in the weights
  bool has_cell_state;  // whether the state has c
  CellStep* step;
  std::string_view about;  // one line
};
const CellKind& cell_kind(Cell cell);

}  // namespace heed::model
