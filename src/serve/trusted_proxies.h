// The proxies whose X-Forwarded headers are believed. Immutable, thread-safe.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http.h"

namespace heed::serve {

class TrustedProxies {
 public:
  // Takes addresses, or networks as ADDRESS/BITS. UsageError for anything else.
  explicit TrustedProxies(std::span<const std::string> networks);

  bool includes(std::string_view address) const;
  // The address of the client: that of the connection or, if that is a trusted proxy, the last address in
  // X-Forwarded-For that is not one.
  std::string client_of(const HttpRequest& request) const;
  // Whether the client used https, according to a trusted proxy.
  bool is_https(const HttpRequest& request) const {
    return request.forwarded_proto == "https" && includes(request.client);
  }

 private:
  using Address = std::array<unsigned char, 16>;  // IPv4 as IPv4-mapped IPv6
  struct Network {
    Address address;
    int bits;
  };
  static bool parse(std::string_view text, Address& address);

  std::vector<Network> networks_;
};

}  // namespace heed::serve
