// Talks to a service manager such as systemd: takes over its listening socket and reports the state of this process.
// The protocols are those of sd_listen_fds(3) and sd_notify(3); libsystemd is not needed. Does nothing if there is no
// service manager.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace heed::serve {

class ServiceManager {
 public:
  // Reads the environment. InputError for a socket that cannot be used.
  ServiceManager();

  // The listening socket that was passed; -1 if there is none.
  int listening_socket() const { return listening_; }
  // The longest time allowed between two calls of alive(); zero: they are not needed.
  std::chrono::microseconds watchdog() const { return watchdog_; }

  // Notifications. Failures are ignored. Thread-safe.
  void ready() const { notify("READY=1"); }
  void stopping() const { notify("STOPPING=1"); }
  void reloading() const;  // ready() ends it
  void alive() const { notify("WATCHDOG=1"); }

 private:
  void notify(std::string_view state) const;

  int listening_ = -1;
  std::chrono::microseconds watchdog_{0};
  std::string socket_;  // the address of the socket for notifications; empty: none
};

}  // namespace heed::serve
