#include "serve/trusted_proxies.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace heed::serve {
namespace {

using Networks = std::vector<std::string>;

TEST(TrustedProxies, AreAddressesAndNetworks) {
  const TrustedProxies proxies(Networks{"10.1.2.3", "192.168.0.0/20", "2001:db8::/33", "::1"});
  for (const char* address :
       {"10.1.2.3", "192.168.0.0", "192.168.15.255", "2001:db8:7fff::1", "::1", "::ffff:10.1.2.3"})
    EXPECT_TRUE(proxies.includes(address)) << address;
  for (const char* address : {"10.1.2.4", "192.168.16.0", "2001:db8:8000::1", "::2", "", "x", "10.1.2.3 "})
    EXPECT_FALSE(proxies.includes(address)) << address;
  EXPECT_TRUE(TrustedProxies(Networks{"0.0.0.0/0"}).includes("1.2.3.4"));
  EXPECT_FALSE(TrustedProxies(Networks{"0.0.0.0/0"}).includes("::1"));
  EXPECT_FALSE(TrustedProxies(Networks{}).includes("127.0.0.1"));
  for (const char* wrong : {"", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0/8", "::1/129", "10.0.0.1/8x"})
    EXPECT_THROW(TrustedProxies(Networks{wrong}), UsageError) << wrong;
}

// Whoever connects may send any X-Forwarded-For; only what trusted proxies have added counts.
TEST(TrustedProxies, TellTheClient) {
  const TrustedProxies proxies(Networks{"10.0.0.0/8"});
  const auto client = [&](const char* peer, const char* forwarded) {
    return proxies.client_of({.method = "GET", .path = "/", .forwarded_for = forwarded, .client = peer});
  };
  EXPECT_EQ(client("1.2.3.4", "5.6.7.8"), "1.2.3.4");
  EXPECT_EQ(client("10.0.0.1", "5.6.7.8"), "5.6.7.8");
  EXPECT_EQ(client("10.0.0.1", "9.9.9.9, 5.6.7.8 ,10.0.0.2"), "5.6.7.8");
  EXPECT_EQ(client("10.0.0.1", "10.0.0.3, 10.0.0.2"), "10.0.0.3");
  EXPECT_EQ(client("10.0.0.1", ""), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", "evil\"\n"), "10.0.0.1");
  EXPECT_EQ(client("10.0.0.1", "5.6.7.8, evil, 10.0.0.2"), "10.0.0.2");
}

TEST(TrustedProxies, OnlyTheyMaySayHttps) {
  const TrustedProxies proxies(Networks{"10.0.0.1"});
  const auto https = [&](const char* peer, const char* proto) {
    return proxies.is_https({.method = "GET", .path = "/", .forwarded_proto = proto, .client = peer});
  };
  EXPECT_TRUE(https("10.0.0.1", "https"));
  EXPECT_FALSE(https("10.0.0.1", "http"));
  EXPECT_FALSE(https("10.0.0.2", "https"));
}

}  // namespace
}  // namespace heed::serve
