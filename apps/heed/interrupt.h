// Ctrl-C, SIGTERM and SIGHUP, and SIGUSR1, which mpirun passes on at once, in a command that has work to save: the
// first signal asks it to stop, a second Ctrl-C or SIGTERM ends the program at once. The exit code is 128 plus the
// signal's number, as in shells.
#pragma once

namespace heed::cli {

// Installs the handlers, except for signals that the parent process ignores (nohup, a script's `&`).
void watch_interrupts();
// The first signal received; 0: none.
int interrupted();
inline int interrupted_exit_code() {
  return 128 + interrupted();
}

// While one of these exists, there is nothing to save: a signal ends the program at once, with the same exit code.
class ExitOnInterrupt {
 public:
  ExitOnInterrupt();
  ExitOnInterrupt(const ExitOnInterrupt&) = delete;
  ExitOnInterrupt& operator=(const ExitOnInterrupt&) = delete;
  ~ExitOnInterrupt();
};

}  // namespace heed::cli
