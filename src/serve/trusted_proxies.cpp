#include "serve/trusted_proxies.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/error.h"

namespace heed::serve {
namespace {

constexpr int kMappedBits = 96;  // of an IPv4-mapped IPv6 address, before the IPv4 bits

bool same_bits(const unsigned char* a, const unsigned char* b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(a, b, whole) != 0) return false;
  const int rest = bits % 8;
  return rest == 0 || ((a[whole] ^ b[whole]) >> (8 - rest)) == 0;
}

}  // namespace

bool TrustedProxies::parse(std::string_view text, Address& address) {
  const std::string copy(text);
  if (::inet_pton(AF_INET6, copy.c_str(), address.data()) == 1) return true;
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};
  return ::inet_pton(AF_INET, copy.c_str(), address.data() + kMappedBits / 8) == 1;
}

TrustedProxies::TrustedProxies(std::span<const std::string> networks) {
  for (const std::string& network : networks) {
    const std::string_view text = network;
    const std::size_t slash = std::min(text.find('/'), text.size());
    const bool is_ipv4 = text.find(':') == std::string_view::npos;
    const int most = is_ipv4 ? 32 : 128;
    Network entry{.address = {}, .bits = most};
    bool valid = parse(text.substr(0, slash), entry.address);
    if (valid && slash < text.size()) {
      const auto [end, error] = std::from_chars(text.data() + slash + 1, text.data() + text.size(), entry.bits);
      valid = error == std::errc() && end == text.data() + text.size() && entry.bits >= 0 && entry.bits <= most;
    }
    check<UsageError>(valid,
                      "--trusted-proxy {}: expected an address such as 10.0.0.5, or a network such as 10.0.0.0/8",
                      in_quotes(network));
    if (is_ipv4) entry.bits += kMappedBits;
    networks_.push_back(entry);
  }
}

bool TrustedProxies::includes(std::string_view text) const {
  Address address{};
  return !networks_.empty() && parse(text, address) && std::ranges::any_of(networks_, [&](const Network& network) {
    return same_bits(network.address.data(), address.data(), network.bits);
  });
}

std::string TrustedProxies::client_of(const HttpRequest& request) const {
  std::string client = request.client;
  std::string_view rest = request.forwarded_for;
  while (!rest.empty() && includes(client)) {
    const std::size_t comma = rest.rfind(',');
    std::string_view last = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(0, comma);
    while (last.starts_with(' ')) last.remove_prefix(1);
    while (last.ends_with(' ')) last.remove_suffix(1);
    Address address{};
    if (!parse(last, address)) break;  // not an address: the proxy is all that is known
    client = last;
  }
  return client;
}

}  // namespace heed::serve
