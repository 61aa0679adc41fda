#include "model/cell.h"

namespace heed::model {
namespace {

constexpr CellKind kCells[] = {
    {.value = Cell::gru, .name = "gru", .gates = 3, .memory = false, .step = gru_cell_step},
    {.value = Cell::lstm, .name = "lstm", .gates = 4, .memory = true, .step = lstm_cell_step},
    {.value = Cell::rnn, .name = "rnn", .gates = 1, .memory = false, .step = rnn_cell_step},
};
static_assert(rows_in_order(kCells));

}  // namespace

const CellKind& cell_kind(Cell cell) {
  return kCells[static_cast<std::size_t>(cell)];
}

std::vector<std::string> enum_names(Cell) {
  return row_names(kCells);
}

}  // namespace heed::model
