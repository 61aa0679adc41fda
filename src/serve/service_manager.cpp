#include "serve/service_manager.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/system.h"

namespace heed::serve {
namespace {

constexpr int kFirstSocket = 3;  // SD_LISTEN_FDS_START

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

int passed_socket() {
  if (number(variable("LISTEN_PID")) != ::getpid()) return -1;  // for another process
  const std::int64_t count = number(variable("LISTEN_FDS")).value_or(0);
  if (count == 0) return -1;
  check<InputError>(count == 1, "the service manager passes {} sockets, but this server can use only one", count);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  int listens = 0;
  socklen_t listens_size = sizeof listens;
  const bool usable = ::getsockname(kFirstSocket, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                      (address.ss_family == AF_INET || address.ss_family == AF_INET6) &&
                      ::getsockopt(kFirstSocket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_size) == 0 &&
                      listens != 0;
  check<InputError>(usable, "the socket that the service manager passes is not a listening TCP socket");
  return kFirstSocket;
}

}  // namespace

ServiceManager::ServiceManager() : listening_(passed_socket()), socket_(variable("NOTIFY_SOCKET")) {
  if (!socket_.starts_with('/') && !socket_.starts_with('@')) socket_.clear();
  const std::string_view pid = variable("WATCHDOG_PID");
  if (!pid.empty() && number(pid) != ::getpid()) return;
  if (const auto time = number(variable("WATCHDOG_USEC")); time && *time > 0)
    watchdog_ = std::chrono::microseconds(*time);
}

void ServiceManager::reloading() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::notify(std::string_view state) const {
  sockaddr_un address{};
  if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@') address.sun_path[0] = '\0';  // an abstract address
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  [[maybe_unused]] const ssize_t sent = ::sendto(socket.get(), state.data(), state.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                                                 reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace heed::serve
