#include "model/cell.h"

#include <algorithm>

namespace heed {
namespace {

constexpr CellKind kCells[] = {
    {"gru", 3, false, gru_cell_step},
    {"lstm", 4, true, lstm_cell_step},
    {"rnn", 1, false, rnn_cell_step},
};

}  // namespace

const CellKind& cell_kind(std::string_view name) {
  const auto* const found = std::ranges::find(kCells, name, &CellKind::name);
  check<UsageError>(found != std::end(kCells), "no cell is called {}; there are {}", name,
                    fmt::join(cell_names(), ", "));
  return *found;
}

std::vector<std::string> cell_names() {
  std::vector<std::string> names;
  for (const CellKind& kind : kCells) names.emplace_back(kind.name);
  return names;
}

}  // namespace heed
