#include "serve/http/server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <map>

#include "base/error.h"
#include "serve/http/responses.h"
#include "serve/http/session.h"

namespace hexapla::serve {
namespace {

using asio::ip::tcp;
using LocalAcceptor = asio::local::stream_protocol::acceptor;

[[noreturn]] void cannot_listen(const std::string& where, const error_code& why) {
  throw RunError(cat("cannot listen at ", where, ": ", why.message(),
                     "; choose another address or port, or end what has ", "this one"));
}

std::string address_of(const tcp::socket& socket) {
  error_code ec;
  const tcp::endpoint end = socket.remote_endpoint(ec);
  return ec ? "gone" : end.address().to_string();
}
std::string address_of(const asio::local::stream_protocol::socket&) { return "unix"; }

void send_at_once(tcp::socket& socket) {
  error_code ec;
  socket.set_option(tcp::no_delay(true), ec);
}
void send_at_once(asio::local::stream_protocol::socket&) {}

std::unique_ptr<asio::ssl::context> tls_of(const ServerOptions& o) {
  if (o.certificate.empty() && o.key.empty()) return nullptr;
  if (o.certificate.empty() || o.key.empty())
    throw UsageError("TLS needs a certificate and its key; give both `certificate` and `key`, or neither");
  auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
  const auto check = [](const std::string& file, const error_code& ec) {
    if (ec)
      throw DataError(cat(file, ": not usable for TLS: ", ec.message(), "; it must be PEM, and the key without a ",
                          "password and of this certificate"));
  };
  error_code ec;
  tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 |
                   asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 | asio::ssl::context::no_tlsv1_1);
  // With forward secrecy alone; those of TLS 1.3 always have it.
  SSL_CTX_set_cipher_list(tls->native_handle(), "ECDHE+AESGCM:ECDHE+CHACHA20");
  tls->set_password_callback([](std::size_t, asio::ssl::context::password_purpose) { return std::string(); });
  check(o.certificate, tls->use_certificate_chain_file(o.certificate, ec));
  check(o.key, tls->use_private_key_file(o.key, asio::ssl::context::pem, ec));
  return tls;
}

// A socket file left by a killed server would keep the next one from binding.
void remove_abandoned_socket(asio::io_context& io, const std::string& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return;
  asio::local::stream_protocol::socket probe(io);
  error_code ec;
  probe.connect(path, ec);
  if (ec == asio::error::connection_refused) unlink(path.c_str());
}

}  // namespace

// Members that must outlive the connections are declared before `io`, which owns them.
struct Server::Impl final : SessionHost, std::enable_shared_from_this<Server::Impl> {
  std::map<std::string, std::size_t> of_address;  // connections
  std::list<Connection*> reading;                 // waiting for or receiving a request, longest first
  std::unique_ptr<asio::ssl::context> tls;
  asio::io_context io{1};
  std::vector<std::unique_ptr<tcp::acceptor>> tcp_acceptors;
  std::unique_ptr<LocalAcceptor> local_acceptor;
  asio::signal_set signals{io};
  asio::steady_timer grace{io};

  Impl(ServerOptions its_options, Handler its_handler, std::function<void(const Answered&)> its_answered)
      : SessionHost(std::move(its_options), std::move(its_handler), std::move(its_answered)), tls(tls_of(options)) {
    if (options.socket.empty())
      listen_tcp();
    else
      listen_local();
  }
  ~Impl() override {
    if (local_acceptor) unlink(options.socket.c_str());
  }

  void listen_tcp() {
    error_code ec;
    const std::string where = cat(options.host, " port ", options.port);
    const auto found = tcp::resolver(io).resolve(options.host, cat(options.port),
                                                 tcp::resolver::passive | tcp::resolver::numeric_service, ec);
    if (ec) cannot_listen(where, ec);
    for (const auto& entry : found) {
      tcp::endpoint end = entry.endpoint();
      if (options.port == 0 && !tcp_acceptors.empty()) end.port(tcp_acceptors.front()->local_endpoint().port());
      auto acceptor = std::make_unique<tcp::acceptor>(io);
      if (acceptor->open(end.protocol(), ec)) continue;
      acceptor->set_option(tcp::acceptor::reuse_address(true));
      if (acceptor->bind(end, ec) || acceptor->listen(asio::socket_base::max_listen_connections, ec)) continue;
      tcp_acceptors.push_back(std::move(acceptor));
    }
    if (tcp_acceptors.empty()) cannot_listen(where, ec);
  }

  void listen_local() {
    struct sockaddr_un name {};
    if (options.socket.size() >= sizeof name.sun_path)
      throw UsageError(cat("`socket` ", options.socket, " is longer than ", sizeof name.sun_path - 1,
                           " bytes, which is all that the system allows"));
    remove_abandoned_socket(io, options.socket);
    auto acceptor = std::make_unique<LocalAcceptor>(io);
    error_code ec;
    acceptor->open(asio::local::stream_protocol(), ec);
    if (!ec) acceptor->bind(options.socket, ec);
    if (!ec) acceptor->listen(asio::socket_base::max_listen_connections, ec);
    if (ec) cannot_listen(options.socket, ec);
    local_acceptor = std::move(acceptor);
  }

  template <class Acceptor>
  awaitable<void> accept_from(Acceptor& acceptor) {
    asio::steady_timer pause(io);
    while (acceptor.is_open()) {
      error_code ec;
      auto socket = co_await acceptor.async_accept(asio::redirect_error(use_awaitable, ec));
      if (!ec) {
        welcome(std::move(socket));
      } else if (acceptor.is_open()) {  // for example, too many open files: wait until some are closed
        drop_longest("");
        pause.expires_after(std::chrono::milliseconds(50));
        co_await pause.async_wait(asio::redirect_error(use_awaitable, ec));
      }
    }
  }

  template <class S>
  void welcome(S socket) {
    send_at_once(socket);
    std::string peer = address_of(socket);
    const ServerLimits& limits = options.limits;
    const bool full = state.connections >= limits.connections && !drop_longest("");
    const auto known = of_address.find(peer);
    if (full || (known != of_address.end() && peer != "unix" && !proxies.trusts(peer) &&
                 known->second >= limits.connections_of_address && !drop_longest(peer)))
      return refuse(Socket(std::move(socket)));
    begin_session(*this, Socket(std::move(socket)), std::move(peer), tls.get());
  }

  // Closes the connection that has been waiting for or receiving a request for longest. peer: ""
  // for any. -> whether there was one
  bool drop_longest(const std::string& peer) {
    const auto found = std::find_if(reading.begin(), reading.end(),
                                    [&](const Connection* c) { return peer.empty() || c->peer == peer; });
    if (found == reading.end()) return false;
    Connection& connection = **found;
    ended_reading(connection);
    connection.drop();
    return true;
  }
  void refuse(Socket socket) {
    ++state.refused;
    const std::string body = error_response(503, "too many connections; try again in a while").body;
    const std::string answer =
        cat("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: ", body.size(),
            "\r\nRetry-After: 1\r\nConnection: close\r\n\r\n", body);
    error_code ec;
    socket.non_blocking(true, ec);
    socket.write_some(asio::buffer(answer), ec);
  }

  // SessionHost:
  asio::io_context& context() override { return io; }
  std::shared_ptr<void> keep_alive() override { return shared_from_this(); }
  void entered(Connection& connection) override {
    ++of_address[connection.peer];
    ++state.connections;
  }
  void begun_reading(Connection& connection) override {
    ended_reading(connection);
    connection.place = reading.insert(reading.end(), &connection);
    connection.reading = true;
  }
  void ended_reading(Connection& connection) override {
    if (connection.reading) reading.erase(connection.place);
    connection.reading = false;
  }
  void left(Connection& connection) override {
    ended_reading(connection);
    --state.connections;
    const auto found = of_address.find(connection.peer);
    if (--found->second == 0) of_address.erase(found);
    if (stopping && state.connections == 0) io.stop();
  }

  void stop() {
    if (stopping) return;
    stopping = true;
    for (const auto& acceptor : tcp_acceptors) stop_accepting(*acceptor);
    if (local_acceptor) stop_accepting(*local_acceptor);
    for (Connection* connection : reading) connection->hasten();
    if (state.connections == 0) return io.stop();
    grace.expires_after(options.limits.grace);
    grace.async_wait([this](const error_code& ec) {
      if (!ec) io.stop();
    });
  }
  // Takes the connections that the system has already accepted.
  template <class Acceptor>
  void stop_accepting(Acceptor& acceptor) {
    error_code ec;
    acceptor.non_blocking(true, ec);
    while (!ec) {
      auto socket = acceptor.accept(ec);
      if (!ec) welcome(std::move(socket));
    }
    acceptor.close(ec);
  }

  void await_signal(const std::function<void()>& hangup) {
    signals.async_wait([this, hangup](const error_code& ec, int number) {
      if (ec) return;
      if (number == SIGHUP)
        hangup();
      else if (stopping)
        return io.stop();
      else
        stop();
      await_signal(hangup);
    });
  }
};

Server::Server(ServerOptions options, Handler handler, std::function<void(const Answered&)> answered)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(handler), std::move(answered))) {}
Server::~Server() = default;

std::uint16_t Server::port() const {
  return impl_->tcp_acceptors.empty() ? std::uint16_t{0} : impl_->tcp_acceptors.front()->local_endpoint().port();
}
const ServerState& Server::state() const { return impl_->state; }

void Server::obey_signals(std::function<void()> hangup) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) impl_->signals.add(number);
  impl_->await_signal(hangup);
}

void Server::run() {
  for (const auto& acceptor : impl_->tcp_acceptors)
    asio::co_spawn(impl_->io, impl_->accept_from(*acceptor), asio::detached);
  if (impl_->local_acceptor) asio::co_spawn(impl_->io, impl_->accept_from(*impl_->local_acceptor), asio::detached);
  impl_->io.run();
  for (Connection* connection : impl_->answering) connection->abandon();
}

void Server::stop() {
  asio::post(impl_->io, [impl = impl_.get()] { impl->stop(); });
}

}  // namespace hexapla::serve
