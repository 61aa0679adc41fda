#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace heed::inline base {

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

std::size_t terminal_width(int descriptor, std::size_t otherwise) {
  winsize size{};
  const bool known = is_terminal(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : otherwise;
}

}  // namespace heed::base
