#include "serve/health_check.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/system.h"

namespace heed::serve {
namespace {

constexpr timeval kTime{.tv_sec = 5, .tv_usec = 0};

struct HostAndPort {
  std::string host = "127.0.0.1", port;
};

// As in a URL.
std::string shown(const HostAndPort& to) {
  const bool is_ipv6 = to.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("[{}]:{}", to.host, to.port) : fmt::format("{}:{}", to.host, to.port);
}

HostAndPort split_address(const std::string& address) {
  std::string_view text = address;
  if (text.starts_with("http://")) text.remove_prefix(7);
  text = text.substr(0, text.find('/'));
  HostAndPort result;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) result.host = text.substr(0, colon);
  if (result.host.starts_with('[') && result.host.ends_with(']'))  // of IPv6
    result.host = result.host.substr(1, result.host.size() - 2);
  result.port = text.substr(colon == std::string_view::npos ? 0 : colon + 1);
  const bool digits = std::ranges::all_of(result.port, [](char c) { return c >= '0' && c <= '9'; });
  check<UsageError>(digits && !result.port.empty() && result.port.size() <= 5 && !result.host.empty(),
                    "--check {}: expected a port, HOST:PORT or http://HOST:PORT", in_quotes(address));
  return result;
}

Descriptor connect_to(const HostAndPort& to, const std::string& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = ::getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &found);
  check<InputError>(failure == 0, "cannot find the server {}: {}", address, failure == 0 ? "" : gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  int error = 0;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    Descriptor socket(::socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol));
    if (socket.get() >= 0 && ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kTime, sizeof kTime) == 0 &&
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &kTime, sizeof kTime) == 0 &&
        ::connect(socket.get(), one->ai_addr, one->ai_addrlen) == 0)
      return socket;
    error = errno;
  }
  throw InputError("no server answers at {}: {}", shown(to), system_message(error));
}

}  // namespace

void check_health(const std::string& address) {
  const HostAndPort to = split_address(address);
  const Descriptor socket = connect_to(to, address);
  const std::string request = fmt::format("GET /ready HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", to.host);
  std::string answer;
  bool sent =
      ::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
  constexpr std::size_t kStatusLine = 12;  // HTTP/1.1 200
  for (std::array<char, 64> part{}; sent && answer.size() < kStatusLine;) {
    const ssize_t size = ::recv(socket.get(), part.data(), part.size(), 0);
    if (size > 0) answer.append(part.data(), static_cast<std::size_t>(size));
    sent = size > 0;
  }
  check<InputError>(answer.size() >= kStatusLine, "the server at {} did not answer within {} s", shown(to),
                    kTime.tv_sec);
  check<InputError>(answer.starts_with("HTTP/1.1 200"), "the server at {} is not ready: its answer has the status {}",
                    shown(to), in_quotes(answer.substr(9, 3)));
}

}  // namespace heed::serve
