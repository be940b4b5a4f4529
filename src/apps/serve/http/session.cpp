#include "serve/http/session.h"

#include <poll.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <deque>
#include <mutex>
#include <optional>

#include "serve/http/responses.h"

namespace hexapla::serve {
namespace {

namespace http = boost::beast::http;
using TlsStream = asio::ssl::stream<Socket>;

// Time for requests that a client sent before it could know that the server is stopping.
constexpr Milliseconds kLastWords{500};
const std::string kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

// The answer so far. Only the server's thread touches it, except for `gone` and `kept`.
struct Reply {
  explicit Reply(asio::io_context& io) : changed(io) {}
  asio::steady_timer changed;  // canceled on every change
  std::optional<Response> head;
  bool streamed = false, ended = false;
  std::atomic<bool> gone{false};
  std::deque<std::string> parts;
  std::function<void()> on_gone;
  SteadyClock::time_point late_at = SteadyClock::time_point::max();
  Response late;
  std::mutex kept_mutex;
  std::vector<std::shared_ptr<void>> kept;

  // Whether there is an answer; after the deadline, that is `late`.
  bool answered() {
    if (!head && SteadyClock::now() >= late_at) {
      head = std::move(late);
      leave();
    }
    return head.has_value();
  }
  void leave() {
    gone = true;
    if (on_gone) std::exchange(on_gone, {})();
  }
};

class OpenExchange final : public Exchange {
  template <class F>
  auto told(F&& f) const {
    return [reply = reply_, f = std::forward<F>(f)]() mutable {
      if (reply->gone) reply->on_gone = nullptr;
      f(*reply);
      reply->changed.cancel();
    };
  }

 public:
  OpenExchange(SessionHost& host, std::shared_ptr<Reply> reply, std::shared_ptr<const Request> request)
      : alive_(host.keep_alive()), io_(host.context()), reply_(std::move(reply)), request_(std::move(request)) {}
  ~OpenExchange() override {
    if (ended_ || reply_->gone) return;
    try {
      answer(error_response(500, "the server has lost this request"));
      end();
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the connection waits until its client gives up
    }
  }
  OpenExchange(const OpenExchange&) = delete;
  OpenExchange& operator=(const OpenExchange&) = delete;

  const Request& request() const override { return *request_; }
  void answer(Response response) override {
    if (begun_.exchange(true)) return;
    ended_ = true;
    // Nothing has been posted before it, so it may run immediately if this is the server's thread
    // (refusals).
    asio::dispatch(
        io_, told([r = std::move(response)](Reply& reply) mutable { reply.head = std::move(r), reply.ended = true; }));
  }
  void begin(Response head) override {
    if (begun_.exchange(true)) return;
    tell([r = std::move(head)](Reply& reply) mutable { reply.head = std::move(r), reply.streamed = true; });
  }
  void send(std::string part) override {
    tell([p = std::move(part)](Reply& reply) mutable { reply.parts.push_back(std::move(p)); });
  }
  void offer(std::string part) override {
    tell([p = std::move(part)](Reply& reply) mutable {
      if (reply.parts.empty()) reply.parts.push_back(std::move(p));
    });
  }
  void end() override {
    ended_ = true;
    tell([](Reply& reply) { reply.ended = true; });
  }
  void on_gone(std::function<void()> gone) override {
    tell([g = std::move(gone)](Reply& reply) mutable {
      reply.on_gone = std::move(g);
      if (reply.gone) reply.leave();
    });
  }
  const std::atomic<bool>& is_gone() const override { return reply_->gone; }
  void answer_at(SteadyClock::time_point time, Response late) override {
    tell([time, r = std::move(late)](Reply& reply) mutable { reply.late_at = time, reply.late = std::move(r); });
  }
  void keep(std::shared_ptr<void> what) override {
    const std::lock_guard lock(reply_->kept_mutex);
    reply_->kept.push_back(std::move(what));
  }

 private:
  // Runs f on the server's thread, in the order of the calls.
  template <class F>
  void tell(F&& f) {
    asio::post(io_, told(std::forward<F>(f)));
  }

  std::shared_ptr<void> alive_;  // owns io_
  asio::io_context& io_;
  std::shared_ptr<Reply> reply_;
  const std::shared_ptr<const Request> request_;
  std::atomic<bool> begun_{false}, ended_{false};
};

Socket& socket_of(Socket& stream) { return stream; }
Socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

template <class Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(SessionHost& host, Stream stream, std::string its_peer)
      : Connection(std::move(its_peer)),
        host_(host),
        stream_(std::move(stream)),
        timer_(host.context()),
        buffer_(host.options.limits.header + (64 << 10)) {
    host_.entered(*this);
  }
  ~Session() override { host_.left(*this); }

  static awaitable<void> serve(std::shared_ptr<Session> self) {
    try {
      bool more = co_await self->greet();
      while (more) more = co_await self->one_request();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): ends only this connection
    }
    self->drop();
  }

  void drop() override {
    take_time();
    timer_.cancel();
    error_code ec;
    socket().shutdown(Socket::shutdown_both, ec);
    socket().close(ec);
  }
  bool silent() override {
    error_code ec;
    return first_byte_awaited_ && buffer_.size() == 0 && socket().available(ec) == 0;
  }
  void hasten() override {
    if (silent()) within(kLastWords);
  }
  void abandon() override { pending_->leave(); }

 private:
  // Work for an answer ends with the connection that waits for it, whatever ends that.
  struct Pending {
    Session& session;
    Pending(Session& its_session, std::shared_ptr<Reply> reply) : session(its_session) {
      session.pending_ = std::move(reply);
      session.host_.answering.insert(&session);
    }
    ~Pending() {
      session.host_.answering.erase(&session);
      session.pending_->ended ? void(session.pending_->gone = true) : session.pending_->leave();
    }
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
  };

  using Parser = http::request_parser<http::string_body>;
  enum class End { whole, refused, closed };

  Socket& socket() { return socket_of(stream_); }
  const ServerLimits& limits() const { return host_.options.limits; }

  // Cancels the connection's next operation after this time. If the timer is set to an earlier
  // time, it is left alone and reset when it expires: most requests finish long before and need not
  // touch it.
  void within(Milliseconds time) {
    late_ = false;
    deadline_ = SteadyClock::now() + time;
    if (deadline_ < timer_set_to_) set_timer();
  }
  void take_time() { deadline_ = SteadyClock::time_point::max(); }
  void set_timer() {
    timer_set_to_ = deadline_;
    timer_.expires_at(deadline_);
    timer_.async_wait([weak = this->weak_from_this()](const error_code& ec) {
      const auto self = weak.lock();
      if (!ec && self) self->timer_went_off();
    });
  }
  void timer_went_off() {
    timer_set_to_ = SteadyClock::time_point::max();
    if (deadline_ == SteadyClock::time_point::max()) return;
    if (SteadyClock::now() < deadline_) return set_timer();
    take_time();
    late_ = true;
    error_code ignored;
    socket().cancel(ignored);
  }

  awaitable<bool> greet() {
    host_.begun_reading(*this);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      error_code ec;
      within(limits().header_time);
      co_await stream_.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(use_awaitable, ec));
      if (ec) co_return false;
    }
    co_return true;
  }

  awaitable<bool> one_request() {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(limits().header));
    parser.body_limit(limits().body);
    const End end = co_await read(parser);
    host_.ended_reading(*this);
    take_time();
    if (end == End::closed) co_return false;
    const bool keep = end == End::whole && parser.get().keep_alive();
    version_ = parser.get().version() == 10 ? 10 : 11;
    Request request = request_of(parser.get());
    request.body = std::move(parser.get().body());
    request_ = std::make_shared<const Request>(std::move(request));
    const bool more = end == End::refused ? co_await write(std::move(refusal_), false) : co_await answer(keep);
    if (end == End::refused) co_await linger();
    co_return request_ = nullptr, more;
  }

  awaitable<End> read(Parser& parser) {
    error_code ec;
    host_.begun_reading(*this);
    started_ = SteadyClock::now();
    skip_blank_lines();
    if (awaits_request_line()) {
      first_byte_awaited_ = true;
      within(host_.stopping ? kLastWords : limits().idle);
      while (!ec && awaits_request_line()) {
        const std::size_t n =
            co_await stream_.async_read_some(buffer_.prepare(4096), asio::redirect_error(use_awaitable, ec));
        buffer_.commit(n);
        skip_blank_lines();
      }
      first_byte_awaited_ = false;
      if (ec) co_return End::closed;
      started_ = SteadyClock::now();
    }
    within(limits().header_time);
    parse_received(parser, ec);
    if (!ec && !parser.is_header_done())
      co_await http::async_read_header(stream_, buffer_, parser, asio::redirect_error(use_awaitable, ec));
    if (!ec) {
      if (auto fault = fault_of(request_of(parser.get()), parser.get().version())) co_return refuse(std::move(*fault));
      within(limits().body_time);
      parse_received(parser, ec);
      if (!ec && !parser.is_done() && boost::beast::iequals(parser.get()[http::field::expect], "100-continue"))
        co_await asio::async_write(stream_, asio::buffer(kGoOn), asio::redirect_error(use_awaitable, ec));
      if (!ec && !parser.is_done())
        co_await http::async_read(stream_, buffer_, parser, asio::redirect_error(use_awaitable, ec));
    }
    co_return ec ? end_of(ec) : End::whole;
  }
  std::string_view received() const { return {static_cast<const char*>(buffer_.data().data()), buffer_.size()}; }
  // Some clients send blank lines before a request (RFC 9112, 2.2).
  void skip_blank_lines() {
    while (received().starts_with("\r\n")) buffer_.consume(2);
  }
  bool awaits_request_line() const { return received().empty() || received() == "\r"; }
  // Parses the header in the buffer, or, once that is done, the available part of the body.
  void parse_received(Parser& parser, error_code& ec) {
    if (parser.is_done() || buffer_.size() == 0) return;
    parser.eager(parser.is_header_done());
    buffer_.consume(parser.put(buffer_.data(), ec));
    if (ec == http::error::need_more) ec = {};
  }

  End refuse(Response why) {
    refusal_ = std::move(why);
    return End::refused;
  }
  End end_of(const error_code& ec) {
    if (late_) return refuse(error_response(408, "the request took too long to arrive"));
    if (ec.category() != http::make_error_code(http::error::end_of_stream).category()) return End::closed;
    if (ec == http::error::end_of_stream || ec == http::error::partial_message) return End::closed;
    if (ec == http::error::body_limit)
      return refuse(error_response(
          413, "the request has more than " + std::to_string(limits().body) + " bytes; send less at a time"));
    if (ec == http::error::header_limit || ec == http::error::buffer_overflow)
      return refuse(error_response(431, "the request's header has more than " + std::to_string(limits().header) +
                                            " bytes; send less at a time"));
    if (ec == http::error::bad_version) return refuse(error_response(505, "this server speaks HTTP/1.0 and HTTP/1.1"));
    return refuse(error_response(400, "not a valid HTTP request: " + ec.message()));
  }

  // The request without its body.
  Request request_of(const http::request<http::string_body>& message) const {
    Request r{std::string(message.method_string()),
              std::string(message.target()),
              {},
              {},
              peer,
              std::is_same_v<Stream, TlsStream>,
              limits().body};
    for (const auto& field : message) {
      std::string name(field.name_string());
      for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
      r.headers.emplace_back(std::move(name), std::string(field.value()));
    }
    host_.proxies.apply(r);
    return r;
  }

  awaitable<bool> answer(bool keep) {
    auto reply = std::make_shared<Reply>(host_.context());
    const Pending pending(*this, reply);
    const bool at_once = host_.options.at_once && host_.options.at_once(*request_);
    const FairPlace waiting(host_.places, request_->peer, host_.state.requests);
    if (waiting || at_once) {
      ask(reply);
    } else {
      reply->head = error_response(503, "the server is busy; try again in a while", {{"Retry-After", "1"}});
      reply->ended = true;
    }
    asked_at_ = SteadyClock::now();
    while (!reply->answered()) {
      co_await news(*reply);
      if (!reply->head && (peer_left() || !co_await peer_listens())) {
        reply->leave();
        told(499, 0);
        co_return false;
      }
    }
    if (reply->streamed) co_return co_await stream(*reply);
    co_return co_await write(std::move(*reply->head), keep);
  }
  void ask(const std::shared_ptr<Reply>& reply) {
    try {
      host_.handler(std::make_shared<OpenExchange>(host_, reply, request_));
    } catch (const std::exception&) {
      reply->head = error_response(500, "the server cannot answer this request");
      reply->ended = true;
    }
  }

  // Waits for a change of the reply, at most 100 ms.
  awaitable<void> news(Reply& reply) {
    error_code ec;
    reply.changed.expires_after(Milliseconds(100));
    co_await reply.changed.async_wait(asio::redirect_error(use_awaitable, ec));
  }
  bool polled(int events) {
    pollfd p{socket().native_handle(), POLLRDHUP, 0};
    return poll(&p, 1, 0) == 1 && (p.revents & events) != 0;
  }
  bool peer_left() { return polled(POLLHUP | POLLERR); }
  // A client that has shut down its sending side may still wait for the answer, or be gone; only
  // sending to it tells. So after a second it gets an interim response, which every HTTP/1.1 client
  // must accept (RFC 9110, 15.2).
  awaitable<bool> peer_listens() {
    error_code ec;
    if (version_ == 10 || SteadyClock::now() - asked_at_ < std::chrono::seconds(1) || !polled(POLLRDHUP))
      co_return true;
    asked_at_ = SteadyClock::time_point::max();
    co_await asio::async_write(stream_, asio::buffer(kGoOn), asio::redirect_error(use_awaitable, ec));
    co_return !ec;
  }

  template <class Message>
  void fill(Message& message, const Response& response, bool keep) const {
    message.version(version_);
    message.result(static_cast<unsigned>(response.status));
    message.set(http::field::server, "hexapla");
    message.set(http::field::date, http_date());
    if (!response.type.empty()) message.set(http::field::content_type, response.type);
    for (const auto& [name, value] : host_.options.always) message.insert(name, value);
    for (const auto& [name, value] : response.headers) message.set(name, value);
    message.keep_alive(keep);
  }

  awaitable<bool> write(Response response, bool keep) {
    error_code ec;
    const std::size_t bytes = response.body.size();
    within(limits().write_time + Milliseconds(1000) * (bytes >> 16));
    if (host_.stopping && buffer_.size() == 0 && socket().available(ec) == 0) keep = false;
    const bool bodiless = response.status == 204 || response.status == 304;
    if (bodiless || request_->method == "HEAD") {
      http::response<http::empty_body> message;
      fill(message, response, keep);
      if (!bodiless) message.content_length(bytes);
      co_await http::async_write(stream_, message, asio::redirect_error(use_awaitable, ec));
    } else {
      http::response<http::string_body> message;
      fill(message, response, keep);
      message.body() = std::move(response.body);
      message.prepare_payload();
      co_await http::async_write(stream_, message, asio::redirect_error(use_awaitable, ec));
    }
    take_time();
    told(ec ? 499 : response.status, bytes);
    co_return !ec && keep;
  }

  // Sends the answer in chunks, or to an HTTP/1.0 client as bytes until the connection closes.
  awaitable<bool> stream(Reply& reply) {
    error_code ec;
    std::size_t bytes = 0;
    const bool chunked = version_ == 11;
    http::response<http::empty_body> message;
    fill(message, *reply.head, chunked);
    if (chunked) message.chunked(true);
    http::response_serializer<http::empty_body> serializer(message);
    within(limits().write_time);
    co_await http::async_write_header(stream_, serializer, asio::redirect_error(use_awaitable, ec));
    auto spoken = SteadyClock::now();
    while (!ec && !(reply.ended && reply.parts.empty())) {
      if (reply.parts.empty()) {
        co_await news(reply);
        if (peer_left()) ec = asio::error::connection_reset;
        if (SteadyClock::now() - spoken > std::chrono::seconds(10)) reply.parts.emplace_back(": ping\n\n");
        continue;
      }
      const std::string part = std::move(reply.parts.front());
      reply.parts.pop_front();
      bytes += part.size();
      within(limits().write_time);
      if (chunked)
        co_await asio::async_write(stream_, http::make_chunk(asio::buffer(part)),
                                   asio::redirect_error(use_awaitable, ec));
      else
        co_await asio::async_write(stream_, asio::buffer(part), asio::redirect_error(use_awaitable, ec));
      spoken = SteadyClock::now();
    }
    if (ec) reply.leave();
    if (!ec && chunked)
      co_await asio::async_write(stream_, http::make_chunk_last(), asio::redirect_error(use_awaitable, ec));
    take_time();
    told(ec ? 499 : reply.head->status, bytes);
    co_return !ec && chunked && !host_.stopping;
  }

  // Reads and discards input for a moment: closing with unread input could destroy the answer
  // before the client has read it.
  awaitable<void> linger() {
    error_code ec;
    socket().shutdown(Socket::shutdown_send, ec);
    within(Milliseconds(500));
    for (int i = 0; i < 256 && !ec; ++i)
      co_await socket().async_read_some(asio::buffer(host_.discarded), asio::redirect_error(use_awaitable, ec));
  }

  void told(int status, std::size_t bytes) const {
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - started_).count();
    if (host_.answered) host_.answered({request_, status, bytes, seconds});
  }

  SessionHost& host_;
  Stream stream_;
  asio::steady_timer timer_;
  boost::beast::flat_buffer buffer_;
  SteadyClock::time_point deadline_ = SteadyClock::time_point::max(), timer_set_to_ = SteadyClock::time_point::max();
  bool late_ = false, first_byte_awaited_ = false;
  unsigned version_ = 11;
  std::shared_ptr<const Request> request_;  // shared with its exchange and the log
  Response refusal_;
  std::shared_ptr<Reply> pending_;
  SteadyClock::time_point started_, asked_at_;
};

template <class Stream>
void begin(SessionHost& host, Stream stream, std::string peer) {
  auto session = std::make_shared<Session<Stream>>(host, std::move(stream), std::move(peer));
  asio::co_spawn(host.context(), Session<Stream>::serve(std::move(session)), asio::detached);
}

}  // namespace

void begin_session(SessionHost& host, Socket socket, std::string peer, asio::ssl::context* tls) {
  tls ? begin(host, TlsStream(std::move(socket), *tls), std::move(peer))
      : begin(host, std::move(socket), std::move(peer));
}

}  // namespace hexapla::serve
