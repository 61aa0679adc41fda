// The terminal behind a file descriptor.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>

namespace heed::inline base {

inline bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

// The number of columns of the terminal, or `otherwise` if the descriptor is not a terminal or does not report them.
inline std::size_t terminal_width(int descriptor, std::size_t otherwise) {
  winsize size{};
  const bool known = is_terminal(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : otherwise;
}

}  // namespace heed::base
