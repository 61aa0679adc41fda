// A table of text for the terminal: the first column on the left, the others on the right. Columns that do not fit into
// the width go into further blocks below, each with the first column again; what is wider than a block is cut with "…".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heed::cli {

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head

  // `width` 0: unlimited. Cells are made printable.
  std::string text(std::size_t width) const;
};

}  // namespace heed::cli
