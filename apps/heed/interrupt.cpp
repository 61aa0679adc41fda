#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace heed::cli {
namespace {

std::atomic<int> first_signal = 0;
std::atomic<bool> asked = false;  // by SIGINT or SIGTERM
std::atomic<bool> exit_at_once = false;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not lock");

// A terminal that is closed may send SIGHUP several times, and its session SIGTERM: SIGHUP never counts as one of two.
void handle(int signal) {
  if (exit_at_once || (signal != SIGHUP && asked.exchange(true))) _exit(128 + signal);
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // a write in progress continues
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
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
