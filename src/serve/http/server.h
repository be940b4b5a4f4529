#pragma once
// HTTP/1.1 for programs that answer: connections, limits and deadlines, over TCP or a Unix socket, with TLS or without.
// One thread does all of it; it never waits for an answer.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "serve/http/message.h"

namespace hexapla::serve {

struct ServerLimits {
  std::size_t body = 4 << 20;                // bytes of a request beside its header; more is answered by 413
  std::size_t header = 16 << 10;             // bytes; 431
  std::size_t connections = 4096;            // at a time; of more, the one goes that has been silent for longest
  std::size_t connections_of_address = 256;  // the same for one address
  std::size_t requests = 512;                // that wait for their answers, see FairPlaces; 503
  std::chrono::milliseconds idle{60'000};    // between two requests
  std::chrono::milliseconds header_time{10'000}, body_time{60'000};  // from the first byte to the last; 408
  std::chrono::milliseconds write_time{30'000};  // to take an answer, and one second more for each 64 KiB of it
  std::chrono::milliseconds grace{30'000};       // after stop(), for what is on its way
};

struct ServerOptions {
  std::string host = "127.0.0.1";            // name or address; "::" is every address of the machine
  std::uint16_t port = 5000;                 // 0: any that is free
  std::string socket;                        // path of a Unix socket; then neither host nor port count
  std::string certificate, key;              // files in PEM for TLS, both or none; the certificate's chain follows it
  std::vector<std::string> trusted_proxies;  // TrustedProxies
  ServerLimits limits;
  Headers always;  // of every answer
};

// An answer that has been sent, or could not be.
struct Answered {
  const Request& request;  // of one that could not be read, what was read of it
  int status;              // 499: the other side left first
  std::size_t bytes;       // of the body
  double seconds;          // since the request's first byte, or the last one of the answer before it
};

struct ServerState {
  std::atomic<std::size_t> connections{0}, requests{0};  // now; requests are those that wait for their answers
  std::atomic<std::uint64_t> refused{0};                 // connections, since the beginning
};

using Handler = std::function<void(std::shared_ptr<Exchange>)>;

class Server {
 public:
  // Is bound and listens when it returns. handler and answered are called from the thread of run() and must be short.
  // UsageError or DataError: a certificate or a key that cannot be used; RunError: an address that cannot be had.
  Server(ServerOptions options, Handler handler, std::function<void(const Answered&)> answered = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;  // 0 for a Unix socket
  const ServerState& state() const;

  // From now on SIGTERM and SIGINT are as stop(), a second one ends run() at once, and SIGHUP calls hangup().
  void obey_signals(std::function<void()> hangup);
  // Serves until stop(); every request that has been read by then, or is being read, is answered.
  void run();
  void stop();  // from any thread

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hexapla::serve
