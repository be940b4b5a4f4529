// Fuzzing: every request gets exactly one answer with an expected status, and an error is one JSON
// object.
#include <gmock/gmock.h>

#include <condition_variable>

#include "base/files/test_folder.h"
#include "base/options/test_environment.h"
#include "serve/routes/test_service.h"
#include "serve/test_requests.h"

namespace hexapla::serve {
namespace {

using test::AstrayRequests;
using test::RunningService;
using test::sound_requests;

constexpr std::size_t kMostAtATime = 64;

std::uint64_t requests_per_test() { return environment_or("HEXAPLA_FUZZ_REQUESTS", 2'000); }
std::uint64_t fuzz_seed() { return environment_or("HEXAPLA_FUZZ_SEED", 0); }

// Excludes 500: no input may be an internal error.
bool is_expected(int status) {
  const int all[] = {200, 201, 204, 400, 401, 403, 404, 405, 408, 411, 413,
                     414, 415, 417, 429, 431, 456, 501, 503, 504, 505};
  return std::find(std::begin(all), std::end(all), status) != std::end(all);
}

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
  // A model whose decoding steps take microseconds.
  std::string small_model() {
    const text::Vocabulary vocabulary = text::Vocabulary::train(api::test::made_up_lines(300, 1), {.size = 40});
    model::Config c = model::Config::preset("tiny");
    c.source_vocab = c.target_vocab = vocabulary.size();
    c.enc_layers = c.dec_layers = 1;
    c.d_model = c.d_ff = 16, c.heads = 2, c.d_k = c.d_v = 0;
    c.resolve();
    model::Transformer model(c);
    const model::Parameters parameters(model, DType::f32, model::Parameters::Use::inference);
    model::initialize(model, 5);
    model::save_model(at("model"), model, {vocabulary.bytes(), vocabulary.bytes()}, {});
    return at("model");
  }
};

// Counts the requests in flight and keeps the first error.
struct Watched {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t open = 0;
  std::map<int, std::size_t> statuses;
  std::string wrong;

  void wait_for_room(std::size_t room) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::minutes(2), [&] { return open <= room; }))
        << "some are not answered";
  }
};

// A request without a connection.
class Asked final : public Exchange {
 public:
  Asked(Watched& watched, Request request) : watched_(watched), request_(std::move(request)) {
    const std::lock_guard lock(watched_.mutex);
    ++watched_.open;
  }
  ~Asked() override {
    const std::lock_guard lock(watched_.mutex);
    if (!begun_ || !ended_) says_wrong("no answer, or one without an end");
    --watched_.open;
    watched_.changed.notify_all();
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  const Request& request() const override { return request_; }
  void answer(Response response) override {
    const std::lock_guard lock(watched_.mutex);
    if (begun_ || ended_) says_wrong("two answers");
    begun_ = ended_ = true;
    look_at(response);
  }
  void begin(Response head) override {
    const std::lock_guard lock(watched_.mutex);
    if (begun_) says_wrong("two answers");
    begun_ = true;
    look_at(head);
  }
  void send(std::string) override {
    const std::lock_guard lock(watched_.mutex);
    if (ended_) says_wrong("a part after the end");
  }
  void offer(std::string part) override { send(std::move(part)); }
  void end() override {
    const std::lock_guard lock(watched_.mutex);
    if (ended_) says_wrong("two ends");
    ended_ = true;
  }
  void on_gone(std::function<void()> gone) override {
    const std::lock_guard lock(watched_.mutex);
    gone_ = std::move(gone);
  }
  void answer_at(std::chrono::steady_clock::time_point, Response) override {}
  void keep(std::shared_ptr<void> what) override { kept_.push_back(std::move(what)); }
  void leave() {
    std::function<void()> gone;
    {
      const std::lock_guard lock(watched_.mutex);
      ended_ = begun_ = true;  // later answers are ignored
      left_ = true;
      gone.swap(gone_);
    }
    if (gone) gone();
  }

 private:
  // The caller holds the mutex.
  void look_at(const Response& r) {
    ++watched_.statuses[r.status];
    if (!is_expected(r.status)) says_wrong("status " + std::to_string(r.status) + " " + r.body);
    if (r.status < 400) return;
    const Json j = Json::parse(r.body, nullptr, false);
    if (!j.is_object() || !(j.contains("error") || j.contains("message")))
      says_wrong("an error without JSON: " + r.body);
  }
  void says_wrong(const std::string& what) {
    if (left_ || !watched_.wrong.empty()) return;
    watched_.wrong = what + "\nof " + request_.method + " " + request_.target;
    for (const auto& [name, value] : request_.headers) watched_.wrong += "\n" + name + ": " + value;
    watched_.wrong += "\n\n" + request_.body;
  }

  Watched& watched_;
  const Request request_;
  bool begun_ = false, ended_ = false, left_ = false;
  std::function<void()> gone_;
  std::vector<std::shared_ptr<void>> kept_;
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
      watched.wait_for_room(kMostAtATime);
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
