#include "base/terminal.h"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/system.h"
#include "base/utf8.h"

namespace heed::inline base {

void say(std::string_view text) noexcept {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const bool closed = write_all(STDERR_FILENO, text) == EPIPE;
  // The signal of the closed pipe is consumed before it is allowed again; if it is ignored, there is none.
  int signal = 0;
  if (closed && sigismember(&before, SIGPIPE) == 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
    sigwait(&pipe_signal, &signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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

}  // namespace heed::base
