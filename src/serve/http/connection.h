#pragma once
// The server's view of a connection.
#include <list>
#include <string>

namespace hexapla::serve {

struct Connection {
  explicit Connection(std::string its_peer) : peer(std::move(its_peer)) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual void drop() = 0;    // closes it at once, whatever it is doing
  virtual bool silent() = 0;  // waits for a request and has received no byte of it
  virtual void hasten() = 0;  // the server is stopping: closes soon if silent, but answers a request in progress

  const std::string peer;
  bool reading = false;
  std::list<Connection*>::iterator place;  // in the list of reading connections, if `reading`
};

}  // namespace hexapla::serve
