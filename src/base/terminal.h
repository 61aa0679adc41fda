// What is known about the terminal behind a file descriptor.
#pragma once

#include <cstddef>

namespace heed::inline base {

bool is_terminal(int descriptor);

// The columns of the terminal, or `otherwise` if the descriptor is not one or does not say.
std::size_t terminal_width(int descriptor, std::size_t otherwise);

}  // namespace heed::base
