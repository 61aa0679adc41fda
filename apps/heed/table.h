// A table of text for the terminal: the first column is left-aligned, the others are right-aligned. Columns that do not
// fit into the width go into further blocks, each with the first column again; cells wider than a block end in "…".
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
