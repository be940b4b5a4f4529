#pragma once
// Trusted reverse proxies, whose headers identify the client.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "serve/http/message.h"

namespace hexapla::serve {

class TrustedProxies {
 public:
  // Addresses ("10.0.0.1", "::1"), networks ("10.0.0.0/8"), or "unix" for all clients of the Unix
  // socket. UsageError: anything else.
  explicit TrustedProxies(const std::vector<std::string>& words = {});

  bool trusts(const std::string& peer) const;
  // For a request from a trusted proxy, sets peer and secure to the client's: from the last address
  // in X-Forwarded-For that is not a trusted proxy, and from X-Forwarded-Proto. Removes such
  // headers from any other request.
  void apply(Request& request) const;

 private:
  using Address = std::array<std::uint8_t, 16>;  // IPv4 is mapped: ::ffff:10.0.0.1
  struct Network {
    Address address;
    int bits;
  };
  static bool read(const std::string& text, Address& address);

  std::vector<Network> networks_;
  bool unix_ = false;
};

// The server's URL as the client sees it, "https://example.org"; "" if the request names no host.
std::string address_of_server(const Request& request);

}  // namespace hexapla::serve
