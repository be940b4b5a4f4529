#include "serve/http/proxies.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/test_paths.h"

namespace hexapla::serve {
namespace {

Request from(const std::string& peer, const Headers& headers) {
  Request r;
  r.method = "GET", r.target = "/", r.peer = peer, r.headers = headers;
  return r;
}

std::string client_of(const std::vector<std::string>& trusted, const std::string& peer, const Headers& headers) {
  Request r = from(peer, headers);
  TrustedProxies(trusted).apply(r);
  return r.peer + (r.secure ? " secure" : "");
}

TEST(TrustedProxies, NameTheClientAndNobodyElseDoes) {
  const Headers headers{{"x-forwarded-for", "198.51.100.7"}, {"x-forwarded-proto", "https"}};
  EXPECT_EQ(client_of({"127.0.0.1"}, "127.0.0.1", headers), "198.51.100.7 secure");
  EXPECT_EQ(client_of({"127.0.0.1"}, "127.0.0.2", headers), "127.0.0.2") << "not trusted";
  EXPECT_EQ(client_of({}, "127.0.0.1", headers), "127.0.0.1") << "nobody is trusted";
  EXPECT_EQ(client_of({"unix"}, "unix", headers), "198.51.100.7 secure");
  EXPECT_EQ(client_of({"127.0.0.1"}, "127.0.0.1", {}), "127.0.0.1") << "it says nothing";
}

// Addresses forged by a client come before those added by proxies.
TEST(TrustedProxies, TheLastAddressThatIsNoProxyIsTheClient) {
  const std::vector<std::string> trusted{"10.0.0.0/8", "::1"};
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {{"x-forwarded-for", "1.1.1.1, 203.0.113.9, 10.7.7.7"}}), "203.0.113.9");
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {{"x-forwarded-for", "1.1.1.1"}, {"x-forwarded-for", "203.0.113.9"}}),
            "203.0.113.9");
  EXPECT_EQ(client_of(trusted, "::1", {{"x-forwarded-for", "nonsense, 10.7.7.7"}}), "10.7.7.7");
  EXPECT_EQ(client_of(trusted, "::1", {{"x-forwarded-for", "[2001:db8::5]:4711"}}), "2001:db8::5");
  EXPECT_EQ(client_of(trusted, "::1", {{"x-forwarded-for", "203.0.113.9:80"}}), "203.0.113.9");
  EXPECT_EQ(client_of(trusted, "10.1.2.3", {{"x-forwarded-for", ""}}), "10.1.2.3");
}

TEST(TrustedProxies, AreAddressesAndNetworks) {
  const TrustedProxies some({"192.0.2.128/25", "2001:db8::/33", "127.0.0.1"});
  for (const char* inside : {"192.0.2.128", "192.0.2.255", "::ffff:192.0.2.200", "2001:db8:7fff::1", "127.0.0.1"})
    EXPECT_TRUE(some.trusts(inside)) << inside;
  for (const char* outside : {"192.0.2.127", "2001:db8:8000::", "127.0.0.2", "unix", "gone", ""})
    EXPECT_FALSE(some.trusts(outside)) << outside;
  EXPECT_TRUE(TrustedProxies({"0.0.0.0/0"}).trusts("203.0.113.9"));
  EXPECT_FALSE(TrustedProxies({"0.0.0.0/0"}).trusts("2001:db8::1"));
  for (const char* wrong : {"", "localhost", "10.0.0.0/33", "10.0.0.0/x", "::1/129", "10.0.0.0/-1", "10.0.0"})
    EXPECT_THROW(TrustedProxies({wrong}), UsageError) << wrong;
}

TEST(TrustedProxies, SayWhereTheServerIs) {
  Request r = from("127.0.0.1", {{"host", "a"}, {"x-forwarded-host", "b.example"}, {"x-forwarded-proto", "https"}});
  Request spoofed = r;
  TrustedProxies({"127.0.0.1"}).apply(r);
  EXPECT_EQ(address_of_server(r), "https://b.example");
  TrustedProxies().apply(spoofed);
  EXPECT_EQ(address_of_server(spoofed), "http://a");
}

}  // namespace
}  // namespace hexapla::serve
