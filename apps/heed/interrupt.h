// Ctrl-C and SIGTERM in a command that has something to finish: the first asks it to end, the second ends the program
// at once. The exit code is 128 and the signal's number, as shells have it.
#pragma once

namespace heed::cli {

// From here on the two signals are taken note of.
void watch_interrupts();
// The signal that came first; 0: none has.
int interrupted();
inline int interrupted_exit_code() {
  return 128 + interrupted();
}

// While one of these lives, nothing waits to be finished: a signal ends the program at once, with the same exit code.
class Idle {
 public:
  Idle();
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle();
};

}  // namespace heed::cli
