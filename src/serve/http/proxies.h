#pragma once
// Proxies before this server, which say whose request they bring.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "serve/http/message.h"

namespace hexapla::serve {

class TrustedProxies {
 public:
  // Addresses ("10.0.0.1", "::1"), networks ("10.0.0.0/8"), or "unix" for whoever comes by the Unix socket. UsageError.
  explicit TrustedProxies(const std::vector<std::string>& words = {});

  bool trusts(const std::string& peer) const;
  // For a request from a trusted proxy, peer and secure become those of its client: the last address of
  // X-Forwarded-For that is no trusted proxy, and X-Forwarded-Proto. Any other request loses such headers.
  void apply(Request& request) const;

 private:
  using Address = std::array<std::uint8_t, 16>;  // IPv4 as IPv6 has it: ::ffff:10.0.0.1
  struct Network {
    Address address;
    int bits;
  };
  static bool read(const std::string& text, Address& address);

  std::vector<Network> networks_;
  bool unix_ = false;
};

// Where the client reaches this server, as "https://example.org".
std::string address_of_server(const Request& request);

}  // namespace hexapla::serve
