// Fuzzing: every request gets exactly one answer with an expected status, and an error is one JSON
// object.
#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "base/options/test_environment.h"
#include "serve/test_exchange.h"
#include "serve/test_requests.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder

constexpr std::size_t kMostConnections = 64;

std::uint64_t requests_per_test() { return environment_or("HEXAPLA_FUZZ_REQUESTS", 2'000); }
std::uint64_t fuzz_seed() { return environment_or("HEXAPLA_FUZZ_SEED", 0); }

ServiceOptions fuzzed_service(const std::string& model) {
  ServiceOptions o;
  o.models = {{model, "en", "de"}, {model, "de", "fr"}};
  o.model.search = {{"extra-length", 2}};
  o.timeout = std::chrono::seconds(2);
  o.waiting_lines = 500;
  o.files = 1 << 20;
  o.cache = 1 << 20;
  return o;
}

struct FuzzedRequests : TestFolder {
  std::string small_model() {
    save_small_model(at("model"));
    return at("model");
  }
};

TEST_F(FuzzedRequests, EachIsAnsweredOnce) {
  Watched watched;
  const std::uint64_t count = requests_per_test();
  {
    Service service(fuzzed_service(small_model()));
    add_routes(service);
    AstrayRequests astray(7 + fuzz_seed());
    Random random(8 + fuzz_seed(), 2);
    for (std::uint64_t i = 0; i < count && !HasFatalFailure(); ++i) {
      watched.wait_for_room(kMostConnections);
      const auto asked = std::make_shared<Asked>(watched, astray.next());
      service.answer(asked);
      if (random.below(16) == 0) asked->leave();
      if (i % 256 == 0) {
        const std::lock_guard lock(watched.mutex);
        ASSERT_EQ(watched.wrong, "") << "request " << i;
      }
    }
    watched.wait_for_room(0);
  }
  EXPECT_EQ(watched.wrong, "");
  std::size_t sound = watched.statuses[200], wrong = watched.statuses[400];
  EXPECT_GT(sound, count / 50) << "nearly all fail: they go not deep enough";
  EXPECT_GT(wrong, count / 50);
  EXPECT_GT(watched.statuses[404], 0u);
}

TEST_F(FuzzedRequests, SoundOnesAreAnswered) {
  Watched watched;
  Service service(fuzzed_service(small_model()));
  add_routes(service);
  for (const Request& r : sound_requests()) {
    watched.statuses.clear();
    service.answer(std::make_shared<Asked>(watched, r));
    watched.wait_for_room(0);
    const int status = watched.statuses.begin()->first;
    const bool missing = r.target.starts_with("/download_file") || r.target.starts_with("/v2/glossaries/");
    EXPECT_TRUE(status / 100 == 2 || missing || r.target == "/v1/runs")
        << r.method << " " << r.target << " " << r.body << ": " << status;
  }
  EXPECT_EQ(watched.wrong, "");
}

// Each connection sends several requests at once, and then one that asks to close it.
TEST_F(FuzzedRequests, ConnectionsOfBytesAreAnsweredAndEnd) {
  ServerOptions http;
  http.limits.header_time = http.limits.body_time = std::chrono::milliseconds(200);
  http.limits.body = 64 << 10;
  RunningService server(fuzzed_service(small_model()), http);
  const std::uint64_t each = requests_per_test() / 4;
  const auto ask = [&](std::uint64_t seed) {
    AstrayRequests astray(seed);
    Random random(seed, 1);
    for (std::uint64_t done = 0; done < each;) {
      std::string bytes;
      for (std::uint32_t n = 1 + random.below(16); n > 0 && done < each; --n, ++done) bytes += astray.next_bytes();
      test::Client c(server.port());
      c.send(bytes + "\r\nGET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
      if (random.below(16) == 0) continue;  // it leaves
      const std::string received = c.all();
      ASSERT_TRUE(c.ended()) << "the connection does not end after\n" << bytes;
      for (const int status : test::statuses_in(received))
        ASSERT_TRUE(is_expected(status)) << status << " after\n" << bytes;
    }
  };
  std::vector<std::thread> clients;
  for (std::uint64_t i = 0; i < 4; ++i) clients.emplace_back(ask, 4 * fuzz_seed() + i);
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(server.get("/health").status, 200);
}

}  // namespace
}  // namespace hexapla::serve
