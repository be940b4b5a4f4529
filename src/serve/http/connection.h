#pragma once
// A connection as its server sees it.
#include <list>
#include <string>

namespace hexapla::serve {

struct Connection {
  explicit Connection(std::string its_peer) : peer(std::move(its_peer)) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual void drop() = 0;    // at once, whatever it is doing
  virtual bool silent() = 0;  // waits for a request of which nothing has come
  virtual void hasten() = 0;  // the server stops: where it is silent it closes soon, but answers what is on its way

  const std::string peer;
  bool reading = false;
  std::list<Connection*>::iterator place;  // among those that read, if it is one
};

}  // namespace hexapla::serve
