#pragma once
// One connection: reads a request, passes it to the handler, writes the answer, and repeats.
#include <array>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>

#include "serve/http/asio.h"
#include "serve/http/fair_places.h"
#include "serve/http/proxies.h"
#include "serve/http/server.h"

namespace hexapla::serve {

// The server's view of a connection.
struct Connection {
  explicit Connection(std::string its_peer) : peer(std::move(its_peer)) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual void drop() = 0;    // closes it at once, whatever it is doing
  virtual bool silent() = 0;  // waits for a request and has received no byte of it
  virtual void hasten() = 0;  // the server is stopping: closes soon if silent, but answers a request in progress
  virtual void
  abandon() = 0;  // the server has stopped: nobody waits any longer for the answer to a request in progress

  const std::string peer;
  bool reading = false;
  std::list<Connection*>::iterator place;  // in the list of reading connections, if `reading`
};

// The connection's view of the server.
struct SessionHost {
  const ServerOptions options;
  const Handler handler;
  const std::function<void(const Answered&)> answered;
  const TrustedProxies proxies;
  ServerState state;
  FairPlaces places;
  bool stopping = false;
  std::unordered_set<Connection*> answering;  // with a request in progress
  // For bytes that nobody reads; shared, because thousands of connections may be refused at once.
  std::array<char, 64 << 10> discarded;

  SessionHost(ServerOptions its_options, Handler its_handler, std::function<void(const Answered&)> its_answered)
      : options(std::move(its_options)),
        handler(std::move(its_handler)),
        answered(std::move(its_answered)),
        proxies(options.trusted_proxies),
        places(options.limits.requests) {}
  virtual ~SessionHost() = default;
  SessionHost(const SessionHost&) = delete;
  SessionHost& operator=(const SessionHost&) = delete;
  virtual asio::io_context& context() = 0;
  virtual std::shared_ptr<void> keep_alive() = 0;
  virtual void entered(Connection& connection) = 0;  // by its constructor; left() by its destructor
  virtual void begun_reading(Connection& connection) = 0;
  virtual void ended_reading(Connection& connection) = 0;
  virtual void left(Connection& connection) = 0;
};

// Serves a connection until it ends, in host.context(); with TLS if there is a context for it.
void begin_session(SessionHost& host, Socket socket, std::string peer, asio::ssl::context* tls);

}  // namespace hexapla::serve
