// A server whose threads are all busy: its operator is answered, and work that nobody waits for ends.
#include "base/system/cancellation.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;
using std::chrono::milliseconds;

// A route whose work lasts until it is released or, if it listens, canceled.
class EndlessWork {
 public:
  explicit EndlessWork(bool listens) : listens_(listens) {}
  void add_to(Service& service) {
    service.router().add({"POST", "/endless", "", [this](const auto&) { work(); }});
  }
  void release() { released_ = true; }
  bool wait_for(const std::atomic<int>& number, int wanted) const {
    for (int i = 0; i < 30'000 && number < wanted; ++i) usleep(1000);
    return number == wanted;
  }
  std::atomic<int> begun{0}, canceled{0};

 private:
  void work() {
    ++begun;
    try {
      for (; !released_; usleep(1000))
        if (listens_) check_canceled();
    } catch (const Canceled&) {
      ++canceled;
      throw;
    }
  }
  const bool listens_;
  std::atomic<bool> released_{false};
};

ServerOptions with_few_places() {
  ServerOptions http;
  http.limits.requests = 2;
  http.limits.grace = milliseconds(50);
  return http;
}
const std::string kPost = "POST /endless HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n";

TEST(BusyServer, AnswersItsOperatorAtOnce) {
  EndlessWork work(false);
  RunningService s(small_service(), with_few_places());
  work.add_to(s.service);
  Client one(s.port()), two(s.port());
  one.send(kPost), two.send(kPost);
  EXPECT_TRUE(work.wait_for(work.begun, 2));
  for (const char* path : {"/health", "/ready", "/metrics"})
    EXPECT_EQ(s.ask("GET", path, "{", "application/json").status, 200) << path;
  EXPECT_EQ(s.get("/languages").status, 503) << "others wait";
  work.release();
}

TEST(BusyServer, WorkEndsWithItsClient) {
  EndlessWork work(true);
  RunningService s;
  work.add_to(s.service);
  Client client(s.port());
  client.send(kPost);
  EXPECT_TRUE(work.wait_for(work.begun, 1));
  client.close();
  EXPECT_TRUE(work.wait_for(work.canceled, 1));
  work.release();
}

TEST(BusyServer, WorkEndsWhenItsTimeIsUp) {
  EndlessWork work(true);
  ServiceOptions o = small_service();
  o.timeout = milliseconds(100);
  RunningService s(o);
  work.add_to(s.service);
  EXPECT_EQ(s.post("/endless", Json::object()).status, 504);
  EXPECT_TRUE(work.wait_for(work.canceled, 1));
  work.release();
}

TEST(BusyServer, WorkEndsWithTheServer) {
  EndlessWork work(true);
  auto s = std::make_unique<RunningService>(small_service(), with_few_places());
  work.add_to(s->service);
  Client client(s->port());
  client.send(kPost);
  EXPECT_TRUE(work.wait_for(work.begun, 1));
  s->stop();
  EXPECT_TRUE(work.wait_for(work.canceled, 1));
  work.release();
}

}  // namespace
}  // namespace hexapla::serve
