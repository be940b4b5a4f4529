#pragma once
// For tests: a client that sends exactly the given bytes, and a server in a thread.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/http/form.h"
#include "serve/http/server.h"

namespace hexapla::serve::test {

struct Received {
  int status = 0;                              // 0: the connection ended first
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  Json json() const { return Json::parse(body, nullptr, false); }
};

class Client {
 public:
  explicit Client(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open(AF_INET, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  explicit Client(const std::string& path) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
    open(AF_UNIX, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void send_nothing_more() const { shutdown(fd_, SHUT_WR); }
  void send(const std::string& text) const {
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::send(fd_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }
  // more: additional header lines, "X: y\r\n"
  Received ask(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& type = "application/json", const std::string& more = "") {
    send(method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + (body.empty() ? "" : "Content-Type: " + type + "\r\n") +
         (body.empty() && method != "POST" ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + more +
         "\r\n" + body);
    return receive(method == "HEAD");
  }
  Received post(const std::string& target, const Json& body) { return ask("POST", target, json_text(body)); }
  Received get(const std::string& target) { return ask("GET", target); }

  Received receive(bool head_only = false) {
    Received r;
    std::size_t end;
    do {
      while ((end = read_.find("\r\n\r\n")) == std::string::npos)
        if (!more()) return r;
      r = head(read_.substr(0, end + 2));
      read_.erase(0, end + 4);
    } while (r.status == 100);
    if (head_only || r.status == 204 || r.status == 304) return r;
    if (r.headers["transfer-encoding"] == "chunked") {
      for (std::string chunk; !(chunk = next_chunk()).empty();) r.body += chunk;
    } else if (r.headers.count("content-length") > 0) {
      r.body = take(std::stoul(r.headers["content-length"]));
    } else {
      while (more()) {
      }
      r.body = std::exchange(read_, "");
    }
    return r;
  }
  // The status line and header of a stream, without its chunks.
  Received receive_head() {
    std::size_t end;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos)
      if (!more()) return {};
    Received r = head(read_.substr(0, end + 2));
    read_.erase(0, end + 4);
    return r;
  }
  std::string next_chunk() {
    std::size_t end;
    while ((end = read_.find("\r\n")) == std::string::npos)
      if (!more()) return "";
    const std::size_t size = std::stoul(read_.substr(0, end), nullptr, 16);
    read_.erase(0, end + 2);
    std::string chunk = take(size);
    take(2);
    return chunk;
  }
  // Reads until the server closes the connection.
  std::string all() {
    while (more()) {
    }
    return std::exchange(read_, "");
  }
  // Whether the server closes the connection before the timeout.
  bool ended() {
    while (more()) {
    }
    return ended_;
  }

 private:
  void open(int family, const sockaddr* to, socklen_t size) {
    fd_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(fd_, to, size), 0) << std::strerror(errno);
  }
  bool more() {
    pollfd p{fd_, POLLIN, 0};
    if (poll(&p, 1, 30'000) != 1) return false;
    char block[65536];
    const ssize_t n = read(fd_, block, sizeof block);
    if (n <= 0) {
      ended_ = true;
      return false;
    }
    read_.append(block, static_cast<std::size_t>(n));
    return true;
  }
  std::string take(std::size_t size) {
    while (read_.size() < size && more()) {
    }
    std::string taken = read_.substr(0, size);
    read_.erase(0, size);
    return taken;
  }
  static Received head(const std::string& text) {
    Received r;
    r.status = std::stoi(text.substr(9, 3));
    for (std::size_t at = text.find("\r\n") + 2; at < text.size();) {
      const std::size_t end = text.find("\r\n", at), colon = text.find(':', at);
      std::string name = text.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      r.headers[name] = text.substr(colon + 2, end - colon - 2);
      at = end + 2;
    }
    return r;
  }

  int fd_ = -1;
  std::string read_;
  bool ended_ = false;
};

// The status of each answer in a server's output.
inline std::vector<int> statuses_in(const std::string& sent) {
  const std::string line = "HTTP/1.", next = "\r\nServer: hexapla\r\n";
  std::vector<int> found;
  for (std::size_t at = sent.find(next); at != std::string::npos; at = sent.find(next, at + 1)) {
    const std::size_t begin = sent.rfind(line, at);
    found.push_back(begin == std::string::npos ? 0 : std::atoi(sent.c_str() + begin + line.size() + 2));
  }
  return found;
}

class RunningServer {
 public:
  RunningServer(const ServerOptions& options, Handler handler, std::function<void(const Answered&)> answered = {})
      : server(with_free_port(options), std::move(handler), std::move(answered)), thread_([this] { server.run(); }) {}
  ~RunningServer() { stop(); }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;
  void stop() {
    server.stop();
    if (thread_.joinable()) thread_.join();
  }

  Server server;

 private:
  static ServerOptions with_free_port(ServerOptions options) {
    options.port = 0;
    return options;
  }
  std::thread thread_;
};

}  // namespace hexapla::serve::test
