#pragma once
// An HTTP/1.1 server: connections, limits and deadlines, over TCP or a Unix socket, with or without
// TLS. It runs in one thread, which never waits for an answer.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/message.h"

namespace hexapla::serve {

struct ServerLimits {
  std::size_t body = 4 << 20;      // bytes of a request's body; 413
  std::size_t header = 16 << 10;   // bytes of a request's header; 431
  std::size_t connections = 4096;  // open at a time; a new one replaces the one that has been silent for longest
  std::size_t connections_of_address = 256;                          // the same, per address
  std::size_t requests = 512;                                        // pending, see FairPlaces; 503
  std::chrono::milliseconds idle{60'000};                            // between requests
  std::chrono::milliseconds header_time{10'000}, body_time{60'000};  // from first to last byte; 408
  std::chrono::milliseconds write_time{30'000};                      // to send an answer, plus one second per 64 KiB
  std::chrono::milliseconds grace{30'000};                           // after stop(), for pending requests
};

struct ServerOptions {
  std::string host = "127.0.0.1";  // name or address; "::" for all addresses of the machine
  std::uint16_t port = 5000;       // 0: any free one
  std::string socket;              // path of a Unix socket; replaces host and port
  std::string certificate, key;    // PEM files for TLS, both or neither; the certificate file includes its chain
  std::vector<std::string> trusted_proxies;  // as for TrustedProxies
  ServerLimits limits;
  Headers always;  // added to every answer
  // Requests that are answered even where no further one may wait; none if it is empty.
  std::function<bool(const Request&)> at_once;
};

// An answer that has been sent, or could not be sent.
struct Answered {
  std::shared_ptr<const Request> request;  // as far as it could be read
  int status;                              // 499: the client left first
  std::size_t bytes;                       // of the body
  double seconds;  // since the request's first byte, or the end of the previous answer if that is later
};

struct ServerState {
  std::atomic<std::size_t> connections{0}, requests{0};  // current counts; requests: pending ones
  std::atomic<std::uint64_t> refused{0};                 // connections refused since the start
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

class Server {
 public:
  // Binds and listens. handler and answered are called on the thread of run() and must be short.
  // UsageError or DataError: invalid certificate or key; RunError: the address is not available.
  Server(ServerOptions options, Handler handler, std::function<void(const Answered&)> answered = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  // 0 for a Unix socket
  const ServerState& state() const;

  // From now on SIGTERM and SIGINT call stop(), a second one ends run() at once, and SIGHUP calls
  // hangup().
  void obey_signals(std::function<void()> hangup);
  // Serves until stop(). Requests received or being received by then are answered.
  void run();
  void stop();  // from any thread

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hexapla::serve
