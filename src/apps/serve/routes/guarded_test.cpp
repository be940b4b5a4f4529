// Tests of keys, limits, the log's contents and slow requests.
#include <fstream>
#include <future>
#include <latch>
#include <set>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;

struct Guarded : TestFolder {
  ServiceOptions with_keys() {
    std::ofstream(at("keys")) << "alice\n";
    ServiceOptions o = small_service();
    o.api_keys = at("keys");
    return o;
  }
  static std::string path_of(const Route& route) {
    return route.path.ends_with("*") ? route.path.substr(0, route.path.size() - 1) + "x" : route.path;
  }
};

TEST_F(Guarded, EveryRouteThatIsNotOpenNeedsAKey) {
  RunningService s(with_keys());
  const std::set<std::string> open{"/",
                                   "/assets/*",
                                   "/course/*",
                                   "/languages",
                                   "/frontend/settings",
                                   "/health",
                                   "/ready",
                                   "/spec",
                                   "/v1/models",
                                   "/v1/info",
                                   "/download_file/*",
                                   "/v2/languages",
                                   "/suggest",
                                   "/v2/glossary-language-pairs"};
  const Json body{{"q", "a"}, {"t", "a"}, {"source", "en"}, {"target", "de"}, {"text", {"a"}}, {"target_lang", "DE"}};
  const Router& router = s.service.router();
  for (const Route& route : router.routes()) {
    EXPECT_EQ(route.open, open.count(route.path) > 0) << route.path;
    if (route.open) continue;
    const Json its = fields_of(s, route.path, body);
    const auto ask = [&](const std::string& key) {
      const std::string header = key.empty() ? "" : "Authorization: Bearer " + key + "\r\n";
      return s
          .ask(route.method, path_of(route), route.method == "POST" ? json_text(its) : "", "application/json", header)
          .status;
    };
    EXPECT_EQ(ask(""), route.path.starts_with("/v2") ? 403 : 400) << route.path;
    EXPECT_EQ(ask("eve"), 403) << route.path;
    const int status = ask("alice");
    EXPECT_TRUE(status == 200 || route.path == "/translate_file" || route.path.starts_with("/v1/runs") ||
                route.path.starts_with("/v2/document") || route.path.starts_with("/v2/glossaries"))
        << route.method << " " << route.path << " " << status;
  }
}

TEST_F(Guarded, EveryRouteThatIsNotOpenCountsForTheLimitOfAnAddress) {
  ServiceOptions o = small_service();
  o.requests_per_minute = 1;
  RunningService s(o);
  s.get("/metrics");
  const Router& router = s.service.router();
  for (const Route& route : router.routes())
    EXPECT_EQ(s.ask(route.method, path_of(route), route.method == "POST" ? "{}" : "").status == 429, !route.open)
        << route.path;
}

TEST_F(Guarded, WhoTriesKeysIsSlowedDown) {
  RunningService s(with_keys());
  const auto ask = [&](const std::string& key) {
    return s.ask("POST", "/detect", R"({"q":"a"})", "application/json", "Authorization: Bearer " + key + "\r\n");
  };
  EXPECT_EQ(ask("alice").status, 200);
  int wrong = 0;
  while (wrong < 100 && ask("eve" + std::to_string(wrong)).status == 403) ++wrong;
  EXPECT_GE(wrong, ApiKeys::kWrongPerMinute);
  EXPECT_LE(wrong, ApiKeys::kWrongPerMinute + 30) << "or this took a minute";
  ApiKeys keys(at("keys"), 0);
  for (int i = 0; i < ApiKeys::kWrongPerMinute; ++i) EXPECT_THROW(keys.admit_key("eve", "a"), HttpError);
  EXPECT_EQ(keys.refusal_of_address("a")->status, 429) << "before any key of it is looked at";
  EXPECT_FALSE(keys.refusal_of_address("b"));
}

// Blocks the thread for slow work until destruction.
struct Blocked {
  explicit Blocked(RunningService& s) {
    s.service.compute(call, 0, [latches = latches](const std::atomic<bool>&) {
      latches->begun.count_down();
      latches->released.wait();
    });
    latches->begun.wait();
  }
  ~Blocked() { latches->released.count_down(); }

  struct Latches {
    std::latch begun{1}, released{1};
  };
  struct Held : Exchange {
    Request asked;
    const Request& request() const override { return asked; }
    void answer(Response) override {}
    void keep(std::shared_ptr<void>) override {}
  };
  const std::shared_ptr<Held> call = std::make_shared<Held>();
  const std::shared_ptr<Latches> latches = std::make_shared<Latches>();  // the blocked task may outlive this
};

// Bodies that cost much to read are not read without a key.
TEST_F(Guarded, AKeyInTheHeaderComesBeforeTheBody) {
  RunningService s(with_keys());
  const auto ask = [&](const std::string& path, const std::string& header, const std::string& body) {
    return s.ask("POST", path, body, "application/json", header.empty() ? "" : "Authorization: " + header + "\r\n");
  };
  for (const char* path : {"/translate", "/v1/translate", "/v2/translate"})
    for (const char* header : {"Bearer eve", "bearer eve", "DeepL-Auth-Key eve", "Bearer alice x"}) {
      const Received r = ask(path, header, "[[[no JSON");
      EXPECT_EQ(r.status, 403) << path << " " << header;
      EXPECT_EQ(r.json().contains("message"), std::string(path).starts_with("/v2")) << r.body;
    }
  EXPECT_EQ(ask("/translate", "Bearer alice", "[[[no JSON").status, 400);
  const std::string body = R"({"q":"a","source":"en","target":"de","api_key":")";
  EXPECT_EQ(ask("/translate", "Bearer alice", body + "eve\"}").status, 200) << "the header's counts";
  EXPECT_EQ(ask("/translate", "Basic eve", body + "alice\"}").status, 200) << "that is for a proxy";
  EXPECT_EQ(ask("/translate", "", body + "alice\"}").status, 200);
}

TEST_F(Guarded, ABodyIsNotReadForAClientThatHasLeft) {
  Service service(small_service());
  std::promise<void> stayed;
  int asked = 0;
  service.router().add_open({"POST", "/count", "", [&](const Service::Call& call) {
                               ++asked;
                               call->answer({});
                               if (!call->is_gone()) stayed.set_value();
                             }});
  struct Left final : Blocked::Held {
    const std::atomic<bool> is{true};
    const std::atomic<bool>& is_gone() const override { return is; }
  };
  const auto left = std::make_shared<Left>();
  const auto there = std::make_shared<Blocked::Held>();
  left->asked.method = there->asked.method = "POST", left->asked.target = there->asked.target = "/count";
  service.answer(left), service.answer(there);
  stayed.get_future().wait();
  EXPECT_EQ(asked, 1);
}

TEST_F(Guarded, NoKeyIsLogged) {
  ServiceOptions o = with_keys();
  std::string logged;
  std::mutex mutex;
  o.log_texts = true;
  o.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    logged += line + "\n";
  };
  const std::string form = "application/x-www-form-urlencoded";
  {
    RunningService s(o);
    s.post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}, {"api_key", "alice"}});
    s.ask("POST", "/translate", R"({"q":"a dog","api\u005fkey":"alice"})");
    s.ask("POST", "/translate", R"({"q":"a dog","options":{"Auth_Key":"alice"}})");
    s.ask("POST", "/translate", R"({"q":"a dog","api_key":"alice)");
    s.ask("POST", "/translate", "q=a+dog&api%5Fkey=ali%63e&source=en&target=de", form);
    s.ask("POST", "/v2/translate", "text=a+dog&auth_key=alice&target_lang=DE", form);
    s.ask("POST", "/translate?q=a&api_key=alice&source=en&target=de");
    s.ask("GET", "/metrics?api_key=alice");
    s.ask("POST", "/v2/usage", "", "", "Authorization: DeepL-Auth-Key alice\r\n");
    s.ask("POST", "/translate", "--b\r\nContent-Disposition: form-data; name=api_key\r\n\r\nalice\r\n--b--\r\n",
          "multipart/form-data; boundary=b");
  }
  EXPECT_THAT(logged, testing::Not(HasSubstr("alice")));
  EXPECT_THAT(logged, HasSubstr("a dog"));
  EXPECT_THAT(logged, HasSubstr(R"("status":200)"));
}

TEST_F(Guarded, CharactersAndTextsAreLimitedOnEveryRoute) {
  ServiceOptions o = small_service();
  o.char_limit = 5, o.batch_limit = 1;
  RunningService s(o);
  const std::string longer = "a dog runs";
  for (const char* path : {"/translate", "/detect", "/v1/translate", "/v1/translate/stream", "/v1/score", "/v1/inspect",
                           "/v1/trace", "/v2/translate"}) {
    Json body{{"q", longer}, {"t", "a"}, {"text", longer}, {"source", "en"}, {"target", "de"}, {"target_lang", "DE"}};
    const Received r = s.post(path, fields_of(s, path, body));
    EXPECT_EQ(r.status, std::string(path) == "/v2/translate" ? 413 : 400) << path << r.body;
    EXPECT_THAT(r.body, testing::AnyOf(HasSubstr("10 characters"), HasSubstr("(10)"))) << path;
  }
  EXPECT_EQ(s.post("/v1/score", {{"q", "a"}, {"t", longer}, {"source", "en"}, {"target", "de"}}).status, 400);
  for (const char* path : {"/translate", "/v1/translate", "/v2/translate"}) {
    const std::vector<std::string> two{"a", "b"};
    const Json body{{"q", two}, {"text", two}, {"source", "en"}, {"target", "de"}, {"target_lang", "DE"}};
    EXPECT_EQ(s.post(path, fields_of(s, path, body)).status, 400) << path;
  }
}

TEST_F(Guarded, LogsOfTrainingsHoldUpNoTranslation) {
  std::filesystem::create_directories(at("runs/a"));
  std::ofstream(at("runs/a/train.jsonl")) << "{\"update\":1}\n";
  ServiceOptions o = small_service();
  o.runs = at("runs");
  RunningService s(o);
  std::vector<std::future<int>> asked;
  {
    const Blocked blocked(s);
    for (int i = 0; i < 4; ++i)
      asked.push_back(std::async(std::launch::async, [&] { return s.get("/v1/runs/a").status; }));
    EXPECT_EQ(s.post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).status, 200);
  }
  for (auto& status : asked) EXPECT_EQ(status.get(), 200);
}

TEST_F(Guarded, WhatTakesLongEndsWithTheTimeOfATranslation) {
  ServiceOptions o = small_service();
  o.timeout = std::chrono::milliseconds(300);
  RunningService s(o);
  const Blocked blocked(s);
  for (const char* path : {"/v1/score", "/v1/inspect", "/v1/trace"}) {
    const Received r = s.post(path, fields_of(s, path, {{"q", "a"}, {"t", "a"}, {"source", "en"}, {"target", "de"}}));
    EXPECT_EQ(r.status, 504) << path << r.body;
    EXPECT_THAT(r.body, HasSubstr("--timeout"));
  }
}

// Whoever leaves, or whose time is up, leaves its place in the queue, too.
TEST_F(Guarded, AQueueOfThoseWhoLeftIsEmpty) {
  RunningService s;
  const Blocked blocked(s);
  struct Leaves final : Blocked::Held {
    std::function<void()> gone_;
    void on_gone(std::function<void()> gone) override { gone_ = std::move(gone); }
  };
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<Leaves>> calls;
    const auto ask = [&] {
      calls.push_back(std::make_shared<Leaves>());
      s.service.compute(calls.back(), 0, [](const std::atomic<bool>&) {});
    };
    try {
      while (calls.size() < 100) ask();
      ADD_FAILURE() << "there is no end to the queue";
    } catch (const HttpError& e) {
      EXPECT_EQ(e.status, 503);
    }
    calls.pop_back();
    for (const auto& call : calls) {
      call->gone_();
      EXPECT_EQ(call.use_count(), 1) << "its memory is free";
    }
    EXPECT_GT(calls.size(), 10u);
  }
}

TEST_F(Guarded, ReloadsAreNotLostWhileMuchIsToBeDone) {
  ServiceOptions o = small_service();
  std::promise<void> reloaded;
  o.log = [&](const std::string& line) {
    if (line.find("the models were loaded again") != line.npos) reloaded.set_value();
  };
  RunningService s(o);
  const Blocked blocked(s);
  try {
    for (int i = 0; i < 100; ++i) s.service.compute(blocked.call, 0, [](const std::atomic<bool>&) {});
    ADD_FAILURE() << "as many as anybody asks for wait";
  } catch (const HttpError& e) {
    EXPECT_EQ(e.status, 503);
  }
  s.service.reload();
  EXPECT_EQ(reloaded.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
}

TEST(ServedModels, ThatWereReplacedGoWithTheirLastRequest) {
  ServedModels models({{model_file(), "en", "de"}, {model_file(), "de", "fr"}}, {});
  std::vector<std::weak_ptr<const ServedModel>> all;
  const auto see = [&] {
    const auto now = models.now();
    for (const auto& model : now->models()) all.emplace_back(model);
  };
  const auto alive = [&] { return std::count_if(all.begin(), all.end(), [](const auto& m) { return !m.expired(); }); };
  see();
  auto used = models.now();
  used->models().front()->translator.translate("a dog", small_search());
  for (int i = 0; i < 3; ++i) models.reload(), see();
  EXPECT_EQ(alive(), 4) << "the first two, which are used, and the last two";
  used.reset();
  EXPECT_EQ(alive(), 2);
}

TEST_F(Guarded, AFolderOfTrainingsThatIsNotThereIsRefusedAtTheStart) {
  ServiceOptions o = small_service();
  o.runs = at("nowhere");
  EXPECT_THROW(Service{o}, UsageError);
}

}  // namespace
}  // namespace hexapla::serve
