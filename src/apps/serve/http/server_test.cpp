// Tests of connections and requests, with trivial handlers.
#include "serve/http/server.h"

#include <gmock/gmock.h>

#include <deque>
#include <future>

#include "base/files/test_folder.h"
#include "base/system/machine.h"
#include "serve/http/proxies.h"
#include "serve/http/responses.h"
#include "serve/http/test_client.h"

namespace hexapla::serve {
namespace {

using std::chrono::milliseconds;
using test::Client;
using test::Received;
using test::RunningServer;
using testing::HasSubstr;

void echo(const std::shared_ptr<Exchange>& call) {
  const Request& r = call->request();
  call->answer({200, r.method + " " + r.target + " " + r.body, "text/plain"});
}

// Keeps calls until the test takes them.
struct Kept {
  std::mutex mutex;
  std::vector<std::shared_ptr<Exchange>> calls;
  Handler handler() {
    return [this](std::shared_ptr<Exchange> call) {
      const std::lock_guard lock(mutex);
      calls.push_back(std::move(call));
    };
  }
  std::shared_ptr<Exchange> take() {
    for (int i = 0; i < 30'000; ++i) {
      {
        const std::lock_guard lock(mutex);
        if (!calls.empty()) {
          auto call = calls.back();
          calls.pop_back();
          return call;
        }
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
    ADD_FAILURE() << "no request came";
    return nullptr;
  }
};

ServerOptions small() {
  ServerOptions o;
  o.limits.body = 1000;
  o.limits.header = 2000;
  return o;
}

TEST(HttpServer, KeepsConnectionsAndAnswersInOrder) {
  RunningServer s({}, echo);
  Client c(s.server.port());
  EXPECT_EQ(c.get("/a?b=c").body, "GET /a?b=c ");
  EXPECT_EQ(c.ask("POST", "/b", "text").body, "POST /b text");
  c.send(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
      "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(c.receive().body, "GET /1 ");
  EXPECT_EQ(c.receive().body, "POST /2 abc");
  const Received last = c.receive();
  EXPECT_EQ(last.body, "GET /3 ");
  EXPECT_EQ(last.headers.at("connection"), "close");
  EXPECT_TRUE(c.ended());
}

TEST(HttpServer, AnswersHeadWithoutABodyAndOldClientsWithoutKeepingThem) {
  RunningServer s({}, echo);
  Client c(s.server.port());
  const Received head = c.ask("HEAD", "/x");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), "8");
  EXPECT_EQ(c.get("/y").body, "GET /y ") << "nothing was left of the one before";
  Client old(s.server.port());
  old.send("GET /old HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().body, "GET /old ");
  EXPECT_TRUE(old.ended());
}

TEST(HttpServer, SaysGoOnToClientsThatAskInAnyCase) {
  RunningServer s({}, echo);
  for (const std::string question : {"100-continue", "100-Continue"}) {
    Client c(s.server.port());
    c.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: " + question + "\r\n\r\n");
    EXPECT_EQ(c.receive_head().status, 100) << question;
    c.send("ok");
    EXPECT_EQ(c.receive().body, "POST / ok") << question;
  }
}

// Answers at once, and after the server has probed whether the client still listens.
TEST(HttpServer, AnswersWhoSendsNothingMoreButListens) {
  for (const int wait : {0, 200, 1500}) {
    Kept kept;
    RunningServer s({}, kept.handler());
    Client c(s.server.port());
    c.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    c.send_nothing_more();
    const auto call = kept.take();
    std::this_thread::sleep_for(milliseconds(wait));
    echo(call);
    EXPECT_EQ(c.receive().body, "GET /a ") << wait;
    EXPECT_TRUE(c.ended());
  }
}

TEST(HttpServer, BelievesProxiesThatItTrusts) {
  for (const bool trusted : {false, true}) {
    ServerOptions o;
    if (trusted) o.trusted_proxies = {"127.0.0.0/8"};
    std::string peer;
    std::mutex mutex;
    RunningServer s(o, echo, [&](const Answered& a) {
      const std::lock_guard lock(mutex);
      peer = a.request->peer;
    });
    Client c(s.server.port());
    EXPECT_EQ(c.ask("GET", "/", "", "", "X-Forwarded-For: 203.0.113.9\r\n").status, 200);
    s.stop();
    EXPECT_EQ(peer, trusted ? "203.0.113.9" : "127.0.0.1");
  }
}

// Each request has its own connection, which ends with the answer.
TEST(HttpServer, RefusesWhatIsNoSoundRequest) {
  RunningServer s(small(), echo);
  const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";
  const std::pair<std::string, int> wrong[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET / HTTP/3.0\r\n\r\n", 505},
      {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: x\r\nX: a\x01 b\r\n\r\n", 400},
      {post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400},
      {post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
      {post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400},
      {post + "Content-Length: 3, 3\r\n\r\nabc", 400},
      {post + "Content-Length: -1\r\n\r\n", 400},
      {post + "Content-Length: 5x\r\n\r\nabcde", 400},
      {post + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {post + "Content-Length: 1001\r\n\r\n", 413},
      {post + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
      {post + "Transfer-Encoding: chunked\r\n\r\nfff\r\n" + std::string(0xfff, 'a') + "\r\n0\r\n\r\n", 413},
      {"GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(3000, 'a') + "\r\n\r\n", 431},
      {"GET /" + std::string(3000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", 431},
  };
  for (const auto& [text, status] : wrong) {
    Client c(s.server.port());
    c.send(text);
    const Received r = c.receive();
    EXPECT_EQ(r.status, status) << text.substr(0, 200);
    EXPECT_TRUE(r.json().is_object() && r.json().contains("error")) << r.body;
    EXPECT_TRUE(c.ended()) << text.substr(0, 200);
  }
  EXPECT_EQ(Client(s.server.port()).get("/fine").status, 200);
}

TEST(HttpServer, IgnoresBlankLinesBeforeARequest) {
  RunningServer s(small(), echo);
  Client c(s.server.port());
  for (const std::string before : {"", "\r\n", "\r\n\r\n\r\n"}) {
    c.send(before + "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok\r\n");
    EXPECT_EQ(c.receive().body, "POST /a ok");
  }
  for (const char* some : {"\r", "\n", "\r\n", "\r", "\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    c.send(some);
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(c.receive().body, "GET /b ");
}

// An invalid host would become a part of URLs in answers.
TEST(HttpServer, RefusesAHostThatIsNone) {
  RunningServer s(small(), [](const std::shared_ptr<Exchange>& call) {
    call->answer({200, address_of_server(call->request()), "text/plain"});
  });
  const auto ask = [&](const std::string& host) {
    Client c(s.server.port());
    c.send("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    return c.receive();
  };
  for (const std::string host :
       {"a.example", "a_b:80", "127.0.0.1:5000", "[::1]", "[fe80::1%25eth0]:80", "a:", "xn--bcher-kva.example"})
    EXPECT_EQ(ask(host).body, "http://" + host);
  EXPECT_EQ(ask("").body, "") << "there is no URL without a host";
  for (int c = 0x20; c < 0x100; ++c) {
    const bool sound = std::isalnum(c) != 0 || (c < 0x80 && std::strchr("-._~%", c) != nullptr);
    EXPECT_EQ(ask(std::string("a") + static_cast<char>(c) + "b").status, sound ? 200 : 400) << c;
  }
  for (const std::string host : {"a:b", "a:1:2", "[::1", "[]", "[::1]a", "[x]:1", "::1", ":80x", "a]"})
    EXPECT_EQ(ask(host).status, 400) << host;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they retain freed memory
TEST(HttpServer, ManyThatAreRefusedTakeLittleMemory) {
  ServerOptions o;
  o.limits.connections_of_address = 1000;
  RunningServer s(o, echo);
  std::deque<Client> clients;
  const auto refuse = [&](int count) {
    for (int i = 0; i < count; ++i) clients.emplace_back(s.server.port()).send("nonsense\r\n\r\n");
    for (Client& c : clients) c.receive();
  };
  refuse(1);
  const std::size_t before = resident_memory();
  refuse(300);
  EXPECT_LT(resident_memory(), before + (std::size_t{9} << 20)) << "while all of them are read on for a moment";
}
#endif

TEST(HttpServer, WaitsForARequestOnlySoLong) {
  ServerOptions o;
  o.limits.header_time = o.limits.body_time = milliseconds(50);
  RunningServer s(o, echo);
  for (const char* text : {"GET / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab"}) {
    Client c(s.server.port());
    c.send(text);
    EXPECT_EQ(c.receive().status, 408) << text;
    EXPECT_TRUE(c.ended()) << text;
  }
}

// Deadlines are per request, not per connection.
TEST(HttpServer, EachRequestOfAConnectionHasItsTime) {
  ServerOptions o;
  o.limits.header_time = o.limits.body_time = milliseconds(100);
  RunningServer s(o, echo);
  Client c(s.server.port());
  EXPECT_EQ(c.get("/").status, 200);
  std::this_thread::sleep_for(milliseconds(250));
  EXPECT_EQ(c.get("/").status, 200) << "it was silent, but not within a request";
  c.send("GET / HTTP/1.1\r\nHost:");
  EXPECT_EQ(c.receive().status, 408);
  EXPECT_TRUE(c.ended());
}

TEST(HttpServer, SendsAwayWhatItHasNoRoomFor) {
  Kept kept;
  ServerOptions o;
  o.limits.requests = 1;
  RunningServer s(o, kept.handler());
  Client first(s.server.port()), second(s.server.port());
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto call = kept.take();
  const Received busy = second.get("/");
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.headers.at("retry-after"), "1");
  call->answer({});
  EXPECT_EQ(first.receive().status, 200);
}

TEST(HttpServer, TellsWhoAnswersThatTheClientHasLeft) {
  Kept kept;
  RunningServer s({}, kept.handler());
  Client c(s.server.port());
  c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /next");  // pipelined bytes do not hide the closing
  const auto call = kept.take();
  std::promise<void> gone;
  std::future<void> is_gone = gone.get_future();
  call->on_gone([&] { gone.set_value(); });
  EXPECT_EQ(is_gone.wait_for(milliseconds(250)), std::future_status::timeout);
  c.close();
  EXPECT_EQ(is_gone.wait_for(std::chrono::seconds(30)), std::future_status::ready);
  call->answer({});
}

TEST(HttpServer, AnswersWhatIsForgotten) {
  RunningServer s({}, [](const std::shared_ptr<Exchange>&) {});
  EXPECT_EQ(Client(s.server.port()).get("/").status, 500);
  RunningServer throws({}, [](const std::shared_ptr<Exchange>&) { throw std::runtime_error("x"); });
  EXPECT_EQ(Client(throws.server.port()).get("/").status, 500);
}

TEST(HttpServer, StreamsInChunks) {
  Kept kept;
  RunningServer s({}, kept.handler());
  Client c(s.server.port());
  c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  auto call = kept.take();
  call->begin({200, "", "text/event-stream"});
  EXPECT_EQ(c.receive_head().headers.at("content-type"), "text/event-stream");
  call->send("one");
  EXPECT_EQ(c.next_chunk(), "one");
  call->send("two");
  EXPECT_EQ(c.next_chunk(), "two");
  call->end();
  EXPECT_EQ(c.next_chunk(), "");
  c.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  call = kept.take();
  call->begin({200, "", "text/plain"});
  call->send("three");
  call.reset();  // dropping it ends the stream
  EXPECT_EQ(c.receive().body, "three");
  Client old(s.server.port());
  old.send("GET / HTTP/1.0\r\n\r\n");
  call = kept.take();
  call->begin({200, "", "text/plain"});
  call->send("four");
  call->end();
  EXPECT_EQ(old.receive().body, "four");
}

TEST(HttpServer, StopsWhenEverythingIsAnswered) {
  Kept kept;
  RunningServer s({}, kept.handler());
  Client busy(s.server.port()), silent(s.server.port());
  busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto call = kept.take();
  Client sending(s.server.port());
  sending.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  kept.take()->answer({200, "first", "text/plain"});
  EXPECT_EQ(sending.receive().body, "first");
  s.server.stop();
  sending.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");  // the client does not know of stop() yet
  kept.take()->answer({200, "second", "text/plain"});
  const Received last = sending.receive();
  EXPECT_EQ(last.body, "second");
  EXPECT_EQ(last.headers.at("connection"), "close");
  EXPECT_TRUE(silent.ended());
  call->answer({200, "late", "text/plain"});
  const Received r = busy.receive();
  EXPECT_EQ(r.body, "late");
  EXPECT_EQ(r.headers.at("connection"), "close");
  s.stop();
}

TEST(HttpServer, MakesRoomByClosingTheLongestSilent) {
  ServerOptions o;
  o.limits.connections = 2;
  RunningServer s(o, echo);
  Client a(s.server.port());
  EXPECT_EQ(a.get("/a").status, 200);
  Client b(s.server.port());
  EXPECT_EQ(b.get("/b").status, 200);
  EXPECT_EQ(a.get("/a").status, 200);
  Client c(s.server.port());
  EXPECT_EQ(c.get("/c").status, 200);
  EXPECT_TRUE(b.ended());
  EXPECT_EQ(a.get("/a").status, 200);
}

TEST(HttpServer, RefusesConnectionsWhereAllAreBusy) {
  Kept kept;
  ServerOptions o;
  o.limits.connections_of_address = 1;
  RunningServer s(o, kept.handler());
  Client a(s.server.port());
  a.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto call = kept.take();
  Client b(s.server.port());
  const Received refused = b.receive();
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(refused.json().contains("error"));
  call->answer({});
  EXPECT_EQ(a.receive().status, 200);
  EXPECT_EQ(s.server.state().refused, 1u);
}

using UnixSocket = TestFolder;

TEST_F(UnixSocket, IsServedAndCleanedUp) {
  ServerOptions o;
  o.socket = at("s");
  {
    RunningServer s(o, echo);
    EXPECT_EQ(Client(o.socket).get("/x").body, "GET /x ");
    EXPECT_THROW(Server(o, echo), RunError) << "it is in use";
  }
  EXPECT_FALSE(std::filesystem::exists(o.socket));
  o.socket = at(std::string(200, 'x'));
  EXPECT_THROW(Server(o, echo), UsageError);
}

TEST(HttpServer, SaysWhichAddressCannotBeHad) {
  ServerOptions o;
  RunningServer s(o, echo);
  o.port = s.server.port();
  try {
    Server second(o, echo);
    FAIL() << "two servers at one port";
  } catch (const RunError& e) {
    EXPECT_THAT(e.what(), HasSubstr("127.0.0.1 port " + std::to_string(o.port)));
  }
}

TEST(HttpServer, ReportsEachAnswer) {
  std::promise<int> status;
  RunningServer s({}, echo, [&](const Answered& a) { status.set_value(a.status); });
  Client(s.server.port()).get("/");
  EXPECT_EQ(status.get_future().get(), 200);
}

TEST(Responses, DateIsThatOfHttp) {
  EXPECT_THAT(http_date(), testing::MatchesRegex("[A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ [0-9]+ [0-9:]+ GMT"));
}

}  // namespace
}  // namespace hexapla::serve
