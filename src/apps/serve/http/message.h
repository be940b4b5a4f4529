#pragma once
// Messages between an HTTP server and the code that answers requests, independent of the transport.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::serve {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;  // "GET", in capitals
  std::string target;  // as sent: "/translate?q=a%20dog"
  Headers headers;     // names in lower case
  std::string body;
  std::string peer;                  // client address; "unix" for a Unix socket
  bool secure = false;               // received over TLS
  std::size_t most_bytes = 4 << 20;  // limit of the body, after decompression

  // The value of the first header of this name (in lower case); "" if there is none.
  std::string_view header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
    return found == headers.end() ? std::string_view() : found->second;
  }
};

inline Request without_body(const Request& r) {
  return {r.method, r.target, r.headers, "", r.peer, r.secure, r.most_bytes};
}

struct Response {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  Headers headers = {};
};

// Ends a request with a status and a message.
struct HttpError : std::runtime_error {
  HttpError(int its_status, const std::string& what, Headers its_headers = {})
      : std::runtime_error(what), status(its_status), headers(std::move(its_headers)) {}
  int status;
  Headers headers;
};

// A pending request. Answer it by answer(), once, or by begin(), any number of send() and end().
// All functions may be called from any thread; parts sent before begin() are written after it.
// Calls have no effect once the client has left. If dropped unanswered, the answer is 500.
// Unless overridden, nobody reads a stream, and the client waits forever.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Request& request() const = 0;
  virtual void answer(Response response) = 0;
  virtual void begin(Response /*head*/) {}
  virtual void send(std::string /*part*/) {}
  // Like send(), but drops the part if earlier parts still wait for a slow reader.
  virtual void offer(std::string /*part*/) {}
  virtual void end() {}
  // Calls gone() on the server's thread if the client leaves before it is answered; at once if it
  // has already left. gone() must be short.
  virtual void on_gone(std::function<void()> /*gone*/) {}
  // Turns true once nobody waits for the answer any longer: it has been sent, its time is up, or the client has left.
  virtual const std::atomic<bool>& is_gone() const {
    static const std::atomic<bool> never{false};
    return never;
  }
  // Gives the answer `late` and calls gone() if there is no answer by this time.
  virtual void answer_at(std::chrono::steady_clock::time_point /*time*/, Response /*late*/) {}
  // Keeps `what` alive until the answer has been sent or the client has left.
  virtual void keep(std::shared_ptr<void> what) = 0;
};

}  // namespace hexapla::serve
