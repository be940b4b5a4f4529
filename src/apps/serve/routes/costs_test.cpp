// The memory of an answer is bounded, and known before work starts.
#include <fstream>

#include "base/error.h"
#include "base/system/machine.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;

constexpr std::size_t kMebibyte = 1 << 20, kForRequests = 64 * kMebibyte, kForOne = kForRequests / 4;

// All requests together get 64 MiB.
ServiceOptions short_of_memory() {
  ServiceOptions o = small_service();
  o.files = 0;
  o.timeout = std::chrono::seconds(20);
  static const RunningService loads_the_model;
  o.memory = resident_memory() + 2 * kForRequests + 4 * kMebibyte;
  return o;
}

struct Costs : testing::Test {
  static void SetUpTestSuite() { server = std::make_unique<RunningService>(short_of_memory()); }
  static void TearDownTestSuite() { server.reset(); }
  static Json body_of(const std::string& path, std::size_t lines) {
    const std::vector<std::string> many(lines, "a dog runs here");
    if (path == "/v1/score" || path == "/v1/inspect" || path == "/v1/trace")
      return {{"q", "a dog"}, {"t", "two cats"}, {"source", "en"}, {"target", "de"}};
    if (path.starts_with("/v2")) return {{"text", many}, {"source_lang", "EN"}, {"target_lang", "DE"}};
    return {{"q", many}, {"source", "en"}, {"target", "de"}};
  }
  inline static std::unique_ptr<RunningService> server;
};

// The process's peak memory since begin(); 0 under sanitizers, which retain freed memory.
struct PeakMemory {
  static void begin() { std::ofstream("/proc/self/clear_refs") << "5"; }
  static std::size_t bytes() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
      if (std::size_t kibibytes = 0; word == "VmHWM:" && status >> kibibytes) return kibibytes << 10;
    ADD_FAILURE() << "this system does not tell VmHWM";
#endif
    return 0;
  }
};

TEST_F(Costs, ALargeAnswerIsRefusedBeforeWorkStarts) {
  Json body = body_of("/v1/translate", 200);
  body["options"] = {
      {"n_best", 16}, {"beam_size", 16}, {"alignment", "words"}, {"min_length", 100}, {"extra_length", 200}};
  PeakMemory::begin();
  const std::size_t before = resident_memory();
  for (const char* path : {"/v1/translate", "/v1/translate/stream"}) {
    const Received r = server->post(path, body);
    EXPECT_EQ(r.status, 413) << r.body;
    for (const char* part :
         {"200 lines", "n_best 16", "alignment words", "min_length 100", "one request may have 1", "--memory"})
      EXPECT_THAT(r.json().value("error", ""), HasSubstr(part));
  }
  EXPECT_LT(PeakMemory::bytes(), before + 64 * kMebibyte);
  body["options"] = {{"sample", true}, {"n_best", 1000}};
  EXPECT_EQ(server->post("/v1/translate", body).status, 413);
  body["q"] = "a dog";
  EXPECT_EQ(server->post("/v1/translate", body).status, 400);
}

// Calls f(path, field, value) for every number of every route, at its minimum and its maximum.
template <class F>
void each_limit(const Json& spec, F&& f) {
  for (const auto& [path, methods] : spec["paths"].items()) {
    const Json at = methods.value("/post/requestBody/content/application~1json/schema/properties"_json_pointer, Json());
    const auto visit = [&, &path = path](const Json& properties, const std::string& above) {
      for (const auto& [name, schema] : properties.items())
        if (const Json type = schema.value("type", Json()); type == "integer" || type == "number")
          for (const char* limit : {"minimum", "maximum"})
            if (schema.contains(limit)) f(path, Json::json_pointer(above + "/" + name), schema[limit]);
    };
    visit(at, "");
    if (at.contains("options")) visit(at["options"].value("properties", Json()), "/options");
  }
}

TEST_F(Costs, EveryNumberAtItsLimitStaysWithinTheShareOfARequest) {
  server->post("/v1/translate", body_of("/v1/translate", 20));
  PeakMemory::begin();
  const std::size_t before = resident_memory();
  std::size_t fields = 0;
  std::map<int, std::size_t> statuses;
  each_limit(server->get("/spec").json(), [&](const std::string& path, const Json::json_pointer& field,
                                              const Json& value) {
    Json body = body_of(path, 40);
    body[field] = value;
    if (field.back() == "top_k" || field.back() == "seed" || field.back() == "temperature")
      body["options"]["sample"] = true;
    if (field.back() != "alternatives" && body.contains("options")) body["options"]["alignment"] = "words";
    const Received r = server->post(path, body);
    const std::string what = path + " " + field.to_string() + " " + json_text(value) + ": " + r.body.substr(0, 300);
    EXPECT_TRUE(r.status == 200 || r.status == 400 || r.status == 413 || r.status == 504) << r.status << " " << what;
    EXPECT_LE(r.body.size(), kForOne) << what;
    ++fields, ++statuses[r.status];
  });
  EXPECT_GT(fields, 60u);
  EXPECT_GT(statuses[200], fields / 3) << "nearly all are refused: the test shows nothing";
  EXPECT_LT(PeakMemory::bytes(), before + kForRequests + 32 * kMebibyte);
}

// Sends several of the largest accepted requests at a time; includes the memory to compute them.
TEST_F(Costs, WhatIsLetInTakesNoMoreThanThereIs) {
  const auto largest = [&](const Json& options) {
    Json body = body_of("/v1/translate", 1);
    body["options"] = options;
    std::size_t low = 1, high = 4096;  // low is accepted; refusals in between cost nothing
    while (high - low > std::max<std::size_t>(low / 4, 1)) {
      const std::size_t middle = low + (high - low) / 2;
      body["q"] = std::vector<std::string>(middle, "a dog runs here");
      body["timeout_ms"] = 1;
      (server->post("/v1/translate", body).status == 413 ? high : low) = middle;
    }
    body["q"] = std::vector<std::string>(low, "a dog runs here");
    body.erase("timeout_ms");
    return body;
  };
  const Json wide = largest({{"n_best", 16}, {"beam_size", 16}, {"alignment", "pieces"}, {"min_length", 60}});
  EXPECT_LT(wide["q"].size(), 200u);
  PeakMemory::begin();
  const std::size_t before = resident_memory();
  std::vector<std::thread> clients;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 3; ++i)
    clients.emplace_back([&] {
      const int status = server->post("/v1/translate", wide).status;
      answered += status == 200 || status == 503 || status == 504;
    });
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(answered, 3);
  EXPECT_LT(PeakMemory::bytes(), before + 2 * kForRequests);
}

TEST_F(Costs, AlignmentsOfUsualTranslationsAreLetIn) {
  Json body = body_of("/v1/translate", 300);
  body["options"] = {{"n_best", 4}, {"alignment", "words"}, {"extra_length", 20}};
  const Received r = server->post("/v1/translate", body);
  EXPECT_EQ(r.status, 200) << r.body;
}

TEST_F(Costs, WhatWasTakenIsGivenBackAndWhatIsKeptCounts) {
  const auto taken = [&](RunningService& s) {
    const std::string metrics = s.service.metrics(), name = "\nhexapla_request_memory_bytes ";
    return metrics.substr(metrics.find(name) + name.size(), 2);
  };
  EXPECT_EQ(server->post("/v1/translate", body_of("/v1/translate", 20)).status, 200);
  for (int i = 0; i < 3000 && taken(*server) != "0\n"; ++i) usleep(10'000);
  EXPECT_EQ(taken(*server), "0\n");
  ServiceOptions o = short_of_memory();
  o.cache = 32 * kMebibyte;
  o.memory += o.cache;
  RunningService keeps(o);
  Json body = body_of("/v1/translate", 1);
  body["options"] = {
      {"n_best", 16}, {"beam_size", 16}, {"alignment", "words"}, {"extra_length", 100}, {"min_length", 90}};
  EXPECT_EQ(keeps.post("/v1/translate", body).status, 200);
  body["q"] = std::vector<std::string>(500, "a dog runs here");
  EXPECT_EQ(keeps.post("/v1/translate", body).status, 413) << "all of it is in the cache, but so often it is too much";
}

TEST_F(Costs, ABodyAndItsConstraintsCount) {
  EXPECT_EQ(server->post("/detect", {{"q", std::string(2 * kMebibyte, 'a')}}).status, 413);
  Json body = body_of("/v1/translate", 1);
  body["q"] = std::string(100'000, 'a');
  body["options"] = {{"max_length", 2}};
  EXPECT_THAT(server->post("/v1/translate", body).json().value("error", ""), HasSubstr("max_length"));
  body["q"] = "a dog runs. " + std::string(5000, '.');
  body["options"] = Json::object();
  body["constraints"] = {{{"forbid", std::vector<std::string>(20'000, "red")}}};
  EXPECT_THAT(server->post("/v1/translate", body).json().value("error", ""), HasSubstr("constraints"));
}

TEST_F(Costs, AServerWithoutRoomForRequestsDoesNotStart) {
  ServiceOptions o = small_service();
  o.memory = kMebibyte;
  EXPECT_THROW(Service{o}, UsageError);
}

}  // namespace
}  // namespace hexapla::serve
