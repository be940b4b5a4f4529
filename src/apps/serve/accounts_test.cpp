// Accounts: whatever a request takes (memory, places of lines, inspections, documents, connections) is given back, at
// whichever stage it fails.
#include <gmock/gmock.h>

#include <deque>
#include <fstream>
#include <latch>
#include <list>
#include <thread>

#include "base/files/test_folder.h"
#include "base/options/test_environment.h"
#include "base/system/machine.h"
#include "serve/test_exchange.h"
#include "serve/test_requests.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder

constexpr std::size_t kMostAtATime = 192;
const std::string kJson = "application/json", kForm = "application/x-www-form-urlencoded",
                  kMultipart = "multipart/form-data; boundary=b";

std::string part(const std::string& name, const std::string& value) {
  return "--b\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\n" + value + "\r\n";
}

std::string repeated(const std::string& text, std::uint32_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

// Requests that ask for too much, each in its own way; the rest is as in AstrayRequests.
class Greedy {
 public:
  explicit Greedy(std::uint64_t seed) : astray_(seed), random_(seed, 1) {}

  Request next() {
    Request r = random_.below(3) > 0 ? astray_.next() : greedy();
    r.peer = "10.0.0." + std::to_string(random_.below(200));
    const char* const keys[] = {"Bearer alice", "Bearer alice", "DeepL-Auth-Key bob", "Bearer eve", "Basic YQ=="};
    if (const std::uint32_t which = random_.below(24); which > 0)
      r.headers.emplace_back("authorization", keys[which < 5 ? which : 0]);
    return r;
  }
  Random& random() { return random_; }

 private:
  static Request post(const std::string& target, const std::string& type, std::string body) {
    Request r{"POST", target, {{"host", "x"}, {"content-type", type}}, std::move(body), ""};
    return r;
  }
  Request file(const std::string& target, const std::string& name, const std::string& content) {
    const std::string languages = target == "/v2/document" ? part("source_lang", "EN") + part("target_lang", "DE")
                                                           : part("source", "en") + part("target", "de");
    return post(target, kMultipart,
                part("file; filename=" + name, content) + languages +
                    (random_.below(8) == 0 ? part("glossary_id", "x") : "") + "--b--\r\n");
  }
  std::uint32_t some() { return 1 + (random_.below(32) == 0 ? 200 + random_.below(50) : random_.below(5)); }
  std::string long_text() { return std::string(random_.below(16) > 0 ? random_.below(50) : 400'000, 'a'); }
  Json lines() { return std::vector<std::string>(some(), "a dog runs"); }

  Request greedy() {
    const char* const files[] = {"/v2/document", "/translate_file"};
    const char* const names[] = {"a.txt", "a.html", "a.srt", "a.xliff", "a.json", "a.docx", "a.xyz"};
    switch (random_.below(10)) {
      case 0:
        return file(files[random_.below(2)], names[random_.below(7)], repeated("a dog runs\n\n", some()));
      case 1:
        return file(files[random_.below(2)], "a.html", repeated("<p>a dog <b>runs</b>", some()));
      case 2:
        return file(files[random_.below(2)], "a.txt", long_text());
      case 3:
        return post("/v1/translate", kJson,
                    json_text(Json{{"q", lines()},
                                   {"model", "en-de"},
                                   {"timeout_ms", 1 + random_.below(20)},
                                   {"options", {{"n_best", 1 + random_.below(4)}, {"beam_size", 4}}}}));
      case 4:
        return post(random_.below(2) == 0 ? "/v1/translate" : "/v1/translate/stream", kJson,
                    json_text(Json{{"q", lines()},
                                   {"source", "en"},
                                   {"target", random_.below(2) == 0 ? "fr" : "de"},
                                   {"options", {{"alignment", "words"}, {"min_length", random_.below(10)}}}}));
      case 5:
        return post("/v1/inspect", kJson, R"({"q":"a dog","t":"two","model":"en-de","top":50,"tensors":["*"]})");
      case 6:
        return post("/v1/trace", kJson, R"({"q":"a dog runs","model":"en-de","options":{"beam_size":3}})");
      case 7:
        return post("/v2/translate", kForm,
                    repeated("text=a+dog&", random_.below(64) == 0 ? 20'000 : some()) + "target_lang=DE");
      case 8:
        return post("/v2/glossaries", kForm,
                    "name=a&source_lang=en&target_lang=de&entries=" +
                        repeated("a%09b%0a", random_.below(64) == 0 ? 12'000 : some()));
      default:
        return post("/translate", kJson, json_text(Json{{"q", long_text()}, {"source", "en"}, {"target", "de"}}));
    }
  }

  AstrayRequests astray_;
  Random random_;
};

// Takes the thread for slow work, and memory, until it is let go.
class Hold {
 public:
  Hold(Service& service, Watched& watched, std::size_t bytes) : asked_(std::make_shared<Asked>(watched, Request())) {
    try {
      service.compute(asked_, bytes, [freed = freed_, asked = asked_](const std::atomic<bool>&) {
        freed->wait();
        asked->answer({});
      });
    } catch (const HttpError& e) {
      asked_->answer({e.status, R"({"error":""})"});
    }
  }
  ~Hold() { freed_->count_down(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  const std::shared_ptr<std::latch> freed_ = std::make_shared<std::latch>(1);
  const std::shared_ptr<Asked> asked_;
};

struct Accounts : TestFolder {
  ServiceOptions limited() {
    save_small_model(at("model"));
    std::ofstream(at("keys")) << "alice\nbob 10\n";
    ServiceOptions o;
    o.models = {{at("model"), "en", "de"}, {at("model"), "de", "fr"}};
    o.model.search = {{"extra-length", 2}};
    o.api_keys = at("keys");
    o.timeout = std::chrono::seconds(2);
    o.waiting_lines = 200;
    o.files = 1;                                // so that every file is too large to be kept
    const Service unlimited(o);                 // the first one takes more: sanitizers keep what it has freed
    o.memory = resident_memory() + (80 << 20);  // from 16 to 40 MiB for requests
    return o;
  }
  // The accounts that are not at zero.
  static std::map<std::string, std::string> open_accounts(const Service& service) {
    std::map<std::string, std::string> open;
    const std::string metrics = service.metrics();
    for (const std::string name :
         {"hexapla_waiting_lines", "hexapla_queue_length", "hexapla_request_memory_bytes", "hexapla_documents",
          "hexapla_files_bytes", "hexapla_glossaries_bytes", "hexapla_requests_in_flight", "hexapla_connections"}) {
      const std::size_t at = metrics.find("\n" + name + " ") + name.size() + 2;
      const std::string value = metrics.substr(at, metrics.find('\n', at) - at);
      if (value != "0" && metrics.find("\n" + name + " ") != std::string::npos) open[name] = value;
    }
    return open;
  }
  static void expect_zero(const Service& service) {
    for (int i = 0; i < 3000 && !open_accounts(service).empty(); ++i) usleep(10'000);
    EXPECT_THAT(open_accounts(service), testing::IsEmpty());
  }
  // The data that clients have stored stays, as it should.
  static void drop_glossaries(Service& service) {
    for (const char* owner : {"alice", "bob"})
      for (const auto& one : service.glossaries().all(owner)) service.glossaries().drop(owner, one->id);
  }
};

TEST_F(Accounts, AreAtZeroAfterRequestsThatFailAtEveryStage) {
  Watched watched;
  const std::uint64_t count = environment_or("HEXAPLA_FUZZ_REQUESTS", 2'000);
  Service service(limited());
  add_routes(service);
  Greedy greedy(environment_or("HEXAPLA_FUZZ_SEED", 0));
  std::list<Hold> holds;
  std::deque<std::shared_ptr<Asked>> asked;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 500 == 100) holds.emplace_back(service, watched, 0);
    if (i % 500 == 200)
      for (int n = 0; n < 10; ++n) holds.emplace_back(service, watched, 4 << 20);
    if (i % 500 == 300) holds.clear();
    asked.push_back(std::make_shared<Asked>(watched, greedy.next()));
    service.answer(asked.back());
    // Some leave at once, some later, and some stay.
    if (greedy.random().below(8) == 0) asked[greedy.random().below(static_cast<std::uint32_t>(asked.size()))]->leave();
    if (asked.size() > kMostAtATime / 3) asked.pop_front();
    watched.wait_for_room(kMostAtATime);
  }
  for (const auto& one : asked)
    if (greedy.random().below(2) == 0) one->leave();
  asked.clear();
  holds.clear();
  ASSERT_NO_FATAL_FAILURE(watched.wait_for_room(0));
  EXPECT_EQ(watched.wrong, "");
  drop_glossaries(service);
  expect_zero(service);
  for (const int status : {200, 201, 400, 403, 404, 405, 413, 429, 503, 504})
    EXPECT_GT(watched.statuses[status], 0u) << "no request went as far as " << status;
}

// The same for connections: each fails at another byte, or leaves.
TEST_F(Accounts, OfConnectionsAreAtZeroWhenTheyAreGone) {
  ServerOptions http;
  http.limits.idle = http.limits.header_time = http.limits.body_time = std::chrono::milliseconds(200);
  http.limits.body = 64 << 10;
  http.limits.requests = 4;
  http.limits.connections_of_address = 8;
  RunningService server(limited(), http);
  const auto ask = [&](std::uint64_t seed) {
    AstrayRequests astray(seed);
    Random random(seed, 1);
    for (int i = 0; i < 60; ++i) {
      std::string bytes;
      for (std::uint32_t n = 1 + random.below(4); n > 0; --n) bytes += astray.next_bytes();
      if (random.below(2) == 0) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size() + 1)));
      Client c(server.port());
      c.send(bytes);
      if (random.below(3) == 0) c.receive();
    }
  };
  std::vector<std::thread> clients;
  for (std::uint64_t i = 0; i < 8; ++i) clients.emplace_back(ask, 8 * environment_or("HEXAPLA_FUZZ_SEED", 0) + i);
  for (std::thread& t : clients) t.join();
  expect_zero(server.service);
}

// 300 documents that the server refuses, then one that it takes.
TEST_F(Accounts, DocumentsThatAreRefusedTakeNoPlace) {
  ServiceOptions options = limited();
  options.api_keys = "", options.files = 1 << 20;
  RunningService server(options);
  const auto send = [&](const std::string& content) {
    return server.ask(
        "POST", "/v2/document",
        part("file; filename=a.txt", content) + part("source_lang", "EN") + part("target_lang", "DE") + "--b--\r\n",
        kMultipart);
  };
  for (int i = 0; i < 300; ++i) ASSERT_EQ(send(repeated("a dog\n\n", 300)).status, 413) << i;
  EXPECT_EQ(send("a dog").status, 200);
}

}  // namespace
}  // namespace hexapla::serve
