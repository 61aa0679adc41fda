#include "interrupt.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "job.h"

namespace heed::cli {
namespace {

std::atomic<int> first_signal = 0;
std::atomic<bool> stop_requested = false;  // by SIGINT or SIGTERM
std::atomic<bool> exit_at_once = false;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not lock");

// Any of the signals asks the program to stop, but only SIGINT and SIGTERM count towards the second signal that ends it
// at once: a closed terminal may send SIGHUP several times and then SIGTERM, and mpirun may end a job with SIGTERM once
// one of its processes has stopped after SIGUSR1.
void handle(int signal) {
  const bool counts = signal == SIGINT || signal == SIGTERM;
  if (exit_at_once || (counts && stop_requested.exchange(true))) _exit(128 + signal);
  int none = 0;
  first_signal.compare_exchange_strong(none, signal);
}

// oneDNN's matrix products point the stack pointer at their workspace in the heap, where a handler on the same stack
// would overwrite what lies before it. The kernel hands signals to the main thread, so its handlers run on this stack
// instead.
void use_separate_stack() {
  static std::array<std::byte, 1 << 16> memory;  // AVX-512 and AMX registers are saved here too
  const stack_t stack = {.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  sigaltstack(&stack, nullptr);
}

}  // namespace

void watch_interrupts() {
  use_separate_stack();
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART | SA_ONSTACK;  // a write in progress continues
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
    if (signal == SIGUSR1 && launch_from_environment().size == 1) continue;
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
