#include "serve/http/proxies.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/range.h"
#include "serve/http/responses.h"

namespace hexapla::serve {
namespace {

// The addresses in all X-Forwarded-For headers, last first, without ports and brackets.
std::vector<std::string> forwarded_for(const Request& request) {
  std::string all;
  for (const auto& [name, value] : request.headers)
    if (name == "x-forwarded-for") all += (all.empty() ? "" : ",") + value;
  std::vector<std::string> addresses;
  for (std::size_t at = 0; !all.empty() && at <= all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    std::string one = all.substr(at, end - at);
    at = end + 1;
    std::erase_if(one, [](char c) { return c == ' ' || c == '\t' || c == '['; });
    one.resize(std::min(one.find(']'), one.size()));
    if (std::count(one.begin(), one.end(), ':') == 1) one.resize(one.find(':'));
    addresses.insert(addresses.begin(), one);
  }
  return addresses;
}

}  // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t slash = std::min(word.find('/'), word.size());
    const bool v4 = word.find(':') == std::string::npos;
    const auto bits = slash == word.size() ? (v4 ? 32 : 128) : parse_number<std::int64_t>(word.substr(slash + 1));
    Network network{};
    if (word == "unix") {
      unix_ = true;
    } else if (read(word.substr(0, slash), network.address) && bits && *bits >= 0 && *bits <= (v4 ? 32 : 128)) {
      network.bits = static_cast<int>(*bits) + (v4 ? 96 : 0);
      networks_.push_back(network);
    } else {
      throw UsageError(
          cat("`trusted-proxies` ", word, ": give an address as 10.0.0.1, a network as 10.0.0.0/8, or unix"));
    }
  }
}

bool TrustedProxies::read(const std::string& text, Address& address) {
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return inet_pton(AF_INET, text.c_str(), address.data() + 12) == 1 ||
         inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

bool TrustedProxies::trusts(const std::string& peer) const {
  Address address;
  if (peer == "unix") return unix_;
  if (!read(peer, address)) return false;
  return std::any_of(networks_.begin(), networks_.end(), [&](const Network& n) {
    for (int bit = 0; bit < n.bits; ++bit)
      if (((address[static_cast<std::size_t>(bit) / 8] ^ n.address[static_cast<std::size_t>(bit) / 8]) &
           0x80 >> bit % 8) != 0)
        return false;
    return true;
  });
}

void TrustedProxies::apply(Request& request) const {
  if (!trusts(request.peer)) {
    std::erase_if(request.headers, [](const auto& header) { return header.first.starts_with("x-forwarded-"); });
    return;
  }
  for (const std::string& address : forwarded_for(request)) {
    Address read_as;
    if (!read(address, read_as)) break;  // not an address: the proxy that reported it is the last known hop
    request.peer = address;
    if (!trusts(address)) break;
  }
  if (const auto protocol = request.header("x-forwarded-proto"); !protocol.empty())
    request.secure = protocol == "https";
}

std::string address_of_server(const Request& request) {
  std::string_view host = request.header("x-forwarded-host");
  host = host.substr(0, host.find(','));  // of the first proxy
  if (host.empty() || !is_host(host)) host = request.header("host");
  return host.empty() ? "" : (request.secure ? "https://" : "http://") + std::string(host);
}

}  // namespace hexapla::serve
