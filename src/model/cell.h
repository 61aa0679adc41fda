// Recurrent cells. To add one: a file in model/cells/ with its step, its value in enum class Cell (config.h), and its
// row in the table of cell.cpp.
#pragma once

#include <string_view>

#include "model/autograd.h"
#include "model/config.h"

namespace heed::model {

// What a cell carries from step to step; c only if the cell has a memory of its own (LSTM).
struct CellState {
  Var h;  // [B,H]
  Var c;  // [B,H]

  CellState slice_rows(Index from, Index count) const {
    return {h.slice_rows(from, count), c ? c.slice_rows(from, count) : Var{}};
  }
};

// gx, gh:[B,gates*H], the projections of the input and of the last state
using CellStep = CellState(Tape& tape, Var gx, Var gh, const CellState& before);
CellStep gru_cell_step, lstm_cell_step, rnn_cell_step;

struct CellKind {
  Cell value;
  std::string_view name;
  int gates;    // blocks of H rows in its weights
  bool memory;  // whether it has a cell state
  CellStep* step;
};
const CellKind& cell_kind(Cell cell);

}  // namespace heed::model
