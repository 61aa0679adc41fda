#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace heed::cli {
namespace {

std::atomic<int> first_signal = 0;
std::atomic<bool> exit_at_once = false;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not lock");

void handle(int signal) {
  if (exit_at_once || first_signal.exchange(signal) != 0) _exit(128 + signal);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // a write in progress continues
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int interrupted() {
  return first_signal;
}

// A signal that arrives between the two lines is seen by the second one, a later one by the handler.
ExitOnInterrupt::ExitOnInterrupt() {
  exit_at_once = true;
  if (first_signal != 0) _exit(interrupted_exit_code());
}

ExitOnInterrupt::~ExitOnInterrupt() {
  exit_at_once = false;
}

}  // namespace heed::cli
