// The terminal behind a file descriptor.
#pragma once

#include <cstddef>

namespace heed::inline base {

bool is_terminal(int descriptor);

// The number of columns of the terminal, or `otherwise` if the descriptor is not a terminal or does not report them.
std::size_t terminal_width(int descriptor, std::size_t otherwise);

}  // namespace heed::base
