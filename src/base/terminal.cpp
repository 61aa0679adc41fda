#include "base/terminal.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/system.h"
#include "base/utf8.h"

namespace heed::inline base {

void say(std::string_view text) noexcept {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const bool closed = write_all(STDERR_FILENO, text) == EPIPE;
  // A closed pipe's SIGPIPE is consumed before the signal is unblocked; if SIGPIPE is ignored, there is none.
  int signal = 0;
  if (closed && sigismember(&before, SIGPIPE) == 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
    sigwait(&pipe_signal, &signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool may_style(int descriptor) {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return is_terminal(descriptor) && variable("NO_COLOR").empty() && variable("TERM") != "dumb";
}

std::vector<std::string> wrap_text(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (lines.empty() || utf8_length(lines.back()) + 1 + utf8_length(word) > width)
      lines.emplace_back(word);
    else
      (lines.back() += ' ') += word;
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return lines;
}

std::string quote_word(std::string_view word) {
  const auto harmless = [](unsigned char c) { return std::isalnum(c) || c >= 0x80 || std::strchr("-_./+,:@%=", c); };
  if (!word.empty() && std::ranges::all_of(word, harmless)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace heed::base
