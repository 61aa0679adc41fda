#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace heed::cli {
namespace {

std::atomic<bool> asked = false, idle = false;
static_assert(std::atomic<bool>::is_always_lock_free, "the handler may only touch what needs no lock");

void handle(int /*signal*/) {
  if (idle || asked.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // a write that is under way goes on
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() {
  return asked;
}

// A signal between the two lines is seen by the second; a later one by the handler.
Idle::Idle() {
  idle = true;
  if (asked) _exit(kInterrupted);
}

Idle::~Idle() {
  idle = false;
}

}  // namespace heed::cli
