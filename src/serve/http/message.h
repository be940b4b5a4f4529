#pragma once
// The messages between an HTTP server and the code that answers its requests, whatever carries them.
#include <algorithm>
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
  std::string target;  // as it was sent: "/translate?q=a%20dog"
  Headers headers;     // names in lower case
  std::string body;
  std::string peer;                  // address of the other side; "unix" where that has none
  bool secure = false;               // whether it came by TLS
  std::size_t most_bytes = 4 << 20;  // of its body, unpacked where it came packed

  // The value of the first header of this name (in lower case); "" if there is none.
  std::string_view header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& h) { return h.first == name; });
    return found == headers.end() ? std::string_view() : found->second;
  }
};

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

// One request that waits for its answer: either answer(), once, or begin(), any number of send()s and end(). All of it
// from any thread; what is sent before begin() follows it. Nothing comes of it once the other side has left. Dropped
// without an answer it is answered by 500.
class Exchange {
 public:
  virtual ~Exchange() = default;
  virtual const Request& request() const = 0;
  virtual void answer(Response response) = 0;
  virtual void begin(Response head) = 0;
  virtual void send(std::string part) = 0;
  // As send(), but left out where earlier parts are still on their way to a slow reader.
  virtual void offer(std::string part) = 0;
  virtual void end() = 0;
  // gone() is called, from the server's thread, when the other side leaves before it has been answered; at once where
  // it has left already. It should be short.
  virtual void on_gone(std::function<void()> gone) = 0;
  // If it has no answer by then, this one is given, and gone() is called.
  virtual void answer_at(std::chrono::steady_clock::time_point time, Response late) = 0;
  // Goes when the answer has been sent, or the other side has left.
  virtual void keep(std::shared_ptr<void> what) = 0;
};

}  // namespace hexapla::serve
