// Messages on standard error, properties of the terminal, and quoting for its shell.
#pragma once

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace heed::inline base {

// Writes text unchanged to standard error. Messages never stop work: what cannot be written (a full disk, a closed pipe
// or descriptor, a terminal that went away, a reader that is too slow for a non-blocking pipe) is dropped.
void say(std::string_view text) noexcept;

// The same with arguments, each made printable: they may be foreign text. `say("wrote {}\n", path);`
template <class First, class... Rest>
void say(fmt::format_string<First, Rest...> text, First&& first, Rest&&... rest) noexcept {
  try {
    say(fmt::format(fmt::runtime(text), printable_argument(first), printable_argument(rest)...));
  } catch (...) {  // out of memory: no message
  }
}

inline bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

// Whether text written there may be bold or colored: it is a terminal, and neither NO_COLOR nor TERM forbids it.
bool may_style(int descriptor);

// The number of columns of the terminal, or `otherwise` if the descriptor is not a terminal or does not report them.
inline std::size_t terminal_width(int descriptor, std::size_t otherwise) {
  winsize size{};
  const bool known = is_terminal(descriptor) && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : otherwise;
}

// Lines of at most `width` columns, broken at spaces; a longer word gets a line of its own.
std::vector<std::string> wrap_text(std::string_view text, std::size_t width);

// A word quoted for a shell: in single quotes unless it has only harmless characters.
std::string quote_word(std::string_view word);

}  // namespace heed::base
