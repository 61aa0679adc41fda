// Ctrl-C in a command that has something to finish: the first asks it to end, the second ends the program at once.
#pragma once

namespace heed::cli {

inline constexpr int kInterrupted = 130;  // the exit code, as shells have it

// From here on SIGINT is taken note of.
void watch_interrupts();
bool interrupted();

// While one of these lives, nothing waits to be finished: Ctrl-C ends the program at once, with the same exit code.
class Idle {
 public:
  Idle();
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;
  ~Idle();
};

}  // namespace heed::cli
