#include "base/terminal.h"

#include <pthread.h>

#include <cerrno>
#include <csignal>

namespace heed::inline base {

void say(std::string_view text) noexcept {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  bool closed = false;
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    closed = written < 0 && errno == EPIPE;
    if (written <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  // The signal of the closed pipe is consumed before it is allowed again; if it is ignored, there is none.
  int signal = 0;
  if (closed && sigismember(&before, SIGPIPE) == 0 && sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1)
    sigwait(&pipe_signal, &signal);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace heed::base
