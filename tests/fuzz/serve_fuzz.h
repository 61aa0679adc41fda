// What the fuzz targets of the server share: bytes sent to a server of this process, and what it answers.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include "base/system.h"

// Sends the bytes and, with `all`, closes this direction, so that the server never waits for more (but it takes that
// for a client that has left, and does not translate). Returns everything that the server sends until it closes the
// connection; aborts if it does not within 20 s.
inline std::string exchange_bytes(int port, std::string_view bytes, bool all) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const heed::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  // Closing resets the connection: otherwise the kernel would keep its port for a minute, and soon none would be free.
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  constexpr int kTries = 900;
  for (int i = 0; ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0; ++i) {
    const bool is_busy = errno == EADDRNOTAVAIL || errno == ETIMEDOUT || errno == EINTR;
    if (!is_busy || i == kTries) {
      std::perror("connect");
      std::abort();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // the server has refused the rest
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  if (all) ::shutdown(socket.get(), SHUT_WR);
  std::string answers;
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t size = ::recv(socket.get(), part.data(), part.size(), 0);
    if (size < 0 && errno == EAGAIN) {
      std::fputs("the server keeps the connection open\n", stderr);
      std::abort();
    }
    if (size <= 0) return answers;
    answers.append(part.data(), static_cast<std::size_t>(size));
  }
}

// Aborts unless an answer has a status line with a status that the server knows.
inline int status_of(std::string_view answer) {
  if (!answer.starts_with("HTTP/1.1 ") || answer.size() < 13) std::abort();
  const int status = std::atoi(answer.substr(9, 3).data());
  if (status < 100 || status > 599) std::abort();
  return status;
}
