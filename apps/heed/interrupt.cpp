#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace heed::cli {
namespace {

std::atomic<int> asked = 0;
std::atomic<bool> idle = false;
static_assert(std::atomic<int>::is_always_lock_free, "the handler may only touch what needs no lock");

void handle(int signal) {
  if (idle || asked.exchange(signal) != 0) _exit(128 + signal);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // a write that is under way goes on
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

int interrupted() {
  return asked;
}

// A signal between the two lines is seen by the second; a later one by the handler.
Idle::Idle() {
  idle = true;
  if (asked != 0) _exit(interrupted_exit_code());
}

Idle::~Idle() {
  idle = false;
}

}  // namespace heed::cli
