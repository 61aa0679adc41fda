// Recurrent cells. To add one: a file in model/cells/ with its step, and a line in the table of cell.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autograd/tape.h"

namespace heed {

// What a cell carries from step to step; c only where the cell has a memory of its own (LSTM).
struct CellState {
  Var h;  // [B,H]
  Var c;  // [B,H]

  CellState slice_rows(Index from, Index count) const {
    return {h.slice_rows(from, count), c ? c.slice_rows(from, count) : Var{}};
  }
};

struct CellKind {
  std::string_view name;
  int gates;    // blocks of H rows in its weights
  bool memory;  // whether it has a cell state
  // gx, gh:[B,gates*H], the projections of the input and of the last state
  CellState (*step)(Tape& tape, Var gx, Var gh, const CellState& before);
};

CellState gru_cell_step(Tape& tape, Var gx, Var gh, const CellState& before);
CellState lstm_cell_step(Tape& tape, Var gx, Var gh, const CellState& before);
CellState rnn_cell_step(Tape& tape, Var gx, Var gh, const CellState& before);

// UsageError with the valid names where there is no such cell.
const CellKind& cell_kind(std::string_view name);
std::vector<std::string> cell_names();

}  // namespace heed
