// Tests of the API under /v1, DeepL's API and the operator's routes.
#include <fstream>
#include <latch>
#include <regex>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;

struct Native : WithService {};

TEST(NativeEnsemble, GivesWhatTheTranslatorGives) {
  ServiceOptions o;
  o.models = {ModelPlace::parse("en-de=" + model_file() + "+" + second_model_file())};
  o.model.search = {{"extra-length", 5}};
  RunningService server(o);
  const std::vector<std::string> lines = made_up_lines(4, 9);
  const auto expected = Translator({model_file(), second_model_file()}).translate_n_best(lines, small_search());
  const Json j = server.post("/v1/translate", {{"q", lines}, {"source", "en"}, {"target", "de"}}).json();
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(j["translations"][i][0]["score"], expected[i][0].score);
}

TEST_F(Native, GivesWhatTheTranslatorGives) {
  const Translator translator(model_file());
  TranslatorOptions options =
      TranslatorOptions::from({{"extra_length", 7}, {"beam_size", 5}, {"n_best", 3}, {"alignment", "words"}});
  const std::vector<std::string> lines = made_up_lines(4, 9);
  const auto expected = translator.translate_n_best(lines, options);
  const Json j =
      server
          ->post("/v1/translate",
                 {{"q", lines},
                  {"source", "en"},
                  {"target", "de"},
                  {"options", {{"extra_length", 7}, {"beam-size", 5}, {"n_best", 3}, {"alignment", "words"}}}})
          .json();
  EXPECT_EQ(j["model"], "en-de");
  ASSERT_EQ(j["translations"].size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(j["translations"][i].size(), expected[i].size());
    for (std::size_t n = 0; n < expected[i].size(); ++n) {
      const Json& t = j["translations"][i][n];
      EXPECT_EQ(t["text"], expected[i][n].text);
      EXPECT_EQ(t["score"], expected[i][n].score);
      EXPECT_EQ(t["tokens"], Json(expected[i][n].tokens));
      ASSERT_EQ(t["token_scores"].size(), expected[i][n].token_scores.size());
      EXPECT_EQ(t["token_scores"][0].get<float>(), expected[i][n].token_scores[0]);
      EXPECT_EQ(t["alignment"]["source_words"], Json(expected[i][n].alignment.source_words));
      EXPECT_EQ(t["alignment"]["links"].size(), expected[i][n].alignment.links.size());
    }
  }
}

TEST_F(Native, TranslatesATextLineByLineAndFollowsConstraints) {
  const Json j =
      server
          ->post("/v1/translate", {{"q", "a dog\n\na cat"},
                                   {"model", "en-de"},
                                   {"constraints", {{{"prefix", "two b"}}, Json::object(), {{"require", {"red"}}}}}})
          .json();
  ASSERT_EQ(j["translations"].size(), 3u) << j;
  EXPECT_THAT(j["translations"][0][0]["text"].get<std::string>(), testing::StartsWith("two b"));
  EXPECT_EQ(j["translations"][1][0]["text"], "");
  EXPECT_THAT(j["translations"][2][0]["text"].get<std::string>(), HasSubstr("red"));
}

TEST_F(Native, GoesThroughAThirdLanguageAndSaysSo) {
  const Json j = server->post("/v1/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "fr"}}).json();
  EXPECT_EQ(j["model"], "en-de+de-fr");
  EXPECT_EQ(j["pivot"], Json({"de"}));
  EXPECT_EQ(server->post("/v1/translate", {{"q", "a dog"}, {"model", "en-de+de-fr"}}).json()["translations"],
            j["translations"]);
}

TEST_F(Native, SaysWhatIsWrong) {
  const auto with = [&](const Json& more) {
    Json body{{"q", "a dog"}, {"source", "en"}, {"target", "de"}};
    body.update(more);
    const Received r = server->post("/v1/translate", body);
    EXPECT_EQ(r.status, 400) << r.body;
    return error(r);
  };
  EXPECT_THAT(with({{"options", {{"beam_sise", 4}}}}), HasSubstr("beam_size"));
  EXPECT_THAT(with({{"options", {{"beam_size", 0}}}}), HasSubstr("from 1 to 1000"));
  EXPECT_EQ(with({{"glosary", {{"dog", "Hund"}}}}), "/v1/translate has no 'glosary'; did you mean 'glossary'?");
  EXPECT_EQ(with({{"format", "html"}}), "/v1/translate has no 'format'; leave it out");
  EXPECT_THAT(with({{"options", {{"beam_size", 64}}}}), HasSubstr("at most"));
  EXPECT_THAT(with({{"options", 5}}), HasSubstr("object"));
  EXPECT_THAT(with({{"options", {{"beam_size", {{"a", 1}}}}}}), HasSubstr("beam_size"));
  EXPECT_THAT(with({{"q", nullptr}}), HasSubstr("q is missing"));
  EXPECT_THAT(with({{"q", {1}}}), HasSubstr("q must be"));
  EXPECT_THAT(with({{"target", "ja"}}), HasSubstr("/v1/models"));
  EXPECT_THAT(with({{"model", "x"}}), HasSubstr("no model x"));
  EXPECT_THAT(with({{"model", "en-de"}, {"target", false}}), HasSubstr("target must be a string"));
  EXPECT_THAT(with({{"constraints", 1}}), HasSubstr("constraints"));
  EXPECT_THAT(with({{"options", {{"beam_size", {2, 9}}}}}), HasSubstr("is a list"));
  EXPECT_THAT(with({{"options", {{"batch_tokens", 9}}}}), HasSubstr("batch_tokens"));
  EXPECT_THAT(with({{"options", {{"temperature", 0.5}}}}), HasSubstr("temperature 0.5 is for sample"));
  EXPECT_THAT(with({{"constraints", {{{"prefix", 1}}}}}), HasSubstr("prefix"));
  EXPECT_THAT(with({{"constraints", {{{"require", 1}}}}}), HasSubstr("require"));
  EXPECT_THAT(with({{"constraints", {Json::object(), Json::object()}}}), HasSubstr("constraints"));
  EXPECT_THAT(with({{"timeout_ms", 0}}), HasSubstr("timeout_ms"));
  EXPECT_THAT(with({{"timeout_ms", 86'400'001}}), HasSubstr("from 1 to 86400000"));
}

TEST_F(Native, GivesUpWhenTheTimeIsOver) {
  ServiceOptions o = small_service();
  o.model.search = {{"extra-length", 400}, {"min-length", 300}};
  RunningService slow(o);
  const Received r = slow.post(
      "/v1/translate",
      {{"q", std::vector<std::string>(200, "a dog runs")}, {"source", "en"}, {"target", "de"}, {"timeout_ms", 1}});
  EXPECT_EQ(r.status, 504) << r.body;
}

TEST_F(Native, StreamsWhatIsThereSoFar) {
  Client c(server->port());
  const std::string body = json_text(Json{{"q", "a big dog runs here"}, {"source", "en"}, {"target", "de"}});
  c.send("POST /v1/translate/stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body);
  const Received r = c.receive();
  EXPECT_EQ(r.headers.at("content-type"), "text/event-stream");
  EXPECT_EQ(r.headers.at("cache-control"), "no-store");
  const std::size_t done = r.body.find("event: done\ndata: ");
  ASSERT_NE(done, std::string::npos) << r.body;
  const Json answer = Json::parse(r.body.substr(done + 18));
  EXPECT_EQ(answer["translations"], server->post("/v1/translate", Json::parse(body)).json()["translations"]);
  const Json wrong{{"q", "a"}, {"source", "en"}, {"target", "zz"}};
  EXPECT_EQ(c.post("/v1/translate/stream", wrong).status, 400) << "before the stream begins, an error is an answer";
}

TEST_F(Native, ScoresWhatItIsGiven) {
  const Translator translator(model_file());
  const ScoreResult expected = translator.score_tokens({"a dog"}, {"a cat"}).front();
  const Json j = server->post("/v1/score", {{"q", "a dog"}, {"t", "a cat"}, {"source", "en"}, {"target", "de"}}).json();
  EXPECT_EQ(j["score"], expected.score);
  EXPECT_EQ(j["tokens"], Json(expected.tokens));
  EXPECT_EQ(server->post("/v1/score", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).status, 400);
}

// Only the beginning of a long pair is scored, with a warning; or the pair is rejected.
TEST_F(Native, SaysThatOfALongPairOnlyTheBeginningIsScored) {
  std::string longer = "a dog";
  for (int i = 0; i < 300; ++i) longer += " a dog";
  const auto score = [&](const std::string& q, const std::string& t, const Json& options) {
    return server->post("/v1/score", {{"q", q}, {"t", t}, {"model", "en-de"}, {"options", options}});
  };
  const Json j = score(longer, longer, Json::object()).json();
  ASSERT_EQ(j["warnings"].size(), 2u) << j;
  for (const Json& w : j["warnings"])
    EXPECT_THAT(w["what"].get<std::string>(), HasSubstr("only the first 512 were read"));
  EXPECT_FALSE(score("a dog", "a dog", Json::object()).json().contains("warnings"));
  EXPECT_EQ(score(longer, "a dog", {{"long_input", "refuse"}}).status, 400);
}

// Every route that passes text to a model and can return warnings says that the text is in another
// language.
TEST_F(Native, SaysThatTheVocabularyLacksMostOfTheText) {
  const std::string chinese = "一个男人在跑步。";
  for (const char* route : {"/v1/translate", "/v1/score", "/v1/inspect", "/v1/trace"}) {
    Json body{{"q", chinese}, {"t", "a dog"}, {"model", "en-de"}};
    if (route == std::string("/v1/translate") || route == std::string("/v1/trace")) body.erase("t");
    EXPECT_THAT(server->post(route, body).json().value("warnings", Json()).dump(), HasSubstr("lacks 7 of 7 letters"))
        << route;
    body["q"] = "a dog";
    EXPECT_FALSE(server->post(route, body).json().contains("warnings")) << route;
  }
}

TEST_F(Native, ListsItsModels) {
  const Json models = server->get("/v1/models").json()["models"];
  ASSERT_EQ(models.size(), 3u);
  EXPECT_EQ(models[0]["name"], "en-de");
  EXPECT_GT(models[0]["parameters"], 1000);
  EXPECT_EQ(models[0]["device"], "cpu");
  EXPECT_EQ(models[2]["pivot"], Json({"de"}));
  EXPECT_EQ(server->get("/v1/info").json()["version"], version());
}

TEST_F(Native, SpeaksAsDeepL) {
  const Json j =
      server->post("/v2/translate", {{"text", {"a dog", "a cat"}}, {"target_lang", "DE"}, {"source_lang", "EN"}})
          .json();
  ASSERT_EQ(j["translations"].size(), 2u) << j;
  EXPECT_EQ(j["translations"][0]["detected_source_language"], "EN");
  EXPECT_EQ(j["translations"][0]["text"],
            server->post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).json()["translatedText"]);
  EXPECT_EQ(server
                ->ask("POST", "/v2/translate", "text=a+dog&text=a+cat&source_lang=EN-GB&target_lang=DE",
                      "application/x-www-form-urlencoded")
                .json(),
            j);
  EXPECT_EQ(server->post("/v2/translate", {{"text", {"a"}}, {"target_lang", "XX"}}).json()["message"],
            "Value for 'target_lang' not supported.");
  EXPECT_EQ(server->get("/v2/languages?type=target").json()[0]["language"], "DE");
  EXPECT_TRUE(server->get("/v2/usage").json().contains("character_limit"));
}

TEST_F(Native, SplitsSentencesAsDeepL) {
  const auto translated = [&](const std::string& text, const char* split) {
    Json body{{"text", {text}}, {"target_lang", "DE"}, {"source_lang", "EN"}};
    if (*split) body["split_sentences"] = split;
    const Json j = server->post("/v2/translate", body).json();
    return j.contains("translations") ? j["translations"][0]["text"].get<std::string>()
                                      : j["message"].get<std::string>();
  };
  const auto alone = [&](const std::string& text, const char* sentences) {
    return server->post("/v1/translate", {{"q", text}, {"model", "en-de"}, {"options", {{"sentences", sentences}}}})
        .json()["translations"][0][0]["text"]
        .get<std::string>();
  };
  const std::string first = alone("a dog.", "keep"), second = alone("a cat.", "keep");
  const std::string both = alone("a dog. a cat.", "keep");
  ASSERT_NE(both, first + " " + second);
  EXPECT_EQ(translated("a dog. a cat.", ""), first + " " + second);
  EXPECT_EQ(translated("a dog.\na cat.", "1"), first + "\n" + second);
  EXPECT_EQ(translated("a dog.\na cat.", "nonewlines"), first + " " + second);
  EXPECT_EQ(translated("a dog.\na cat.", "0"), both);
  EXPECT_EQ(translated("a dog.", "2"), "Value for 'split_sentences' not supported.");
}

TEST_F(Native, ProtectsWhatTheModelDoesNotSee) {
  const auto asked = [&](const Json& options) {
    const Json body{{"q", "a {0} dog, see https://a.example/b.c?d"}, {"model", "en-de"}, {"options", options}};
    return server->post("/v1/translate", body);
  };
  const std::string text = asked(Json::object()).json()["translations"][0][0]["text"];
  EXPECT_THAT(text, testing::AllOf(HasSubstr("{0}"), HasSubstr("https://a.example/b.c?d")));
  EXPECT_EQ(asked({{"protect", "auto"}}).json()["translations"][0][0]["text"], text);
  EXPECT_NE(asked({{"protect", "none"}}).json()["translations"][0][0]["text"], text);
  EXPECT_EQ(asked({{"protect", "all"}}).status, 400);
  const auto refused = asked({{"protect_pattern", {"a+"}}});
  EXPECT_EQ(refused.status, 400) << "patterns are the operator's";
  EXPECT_THAT(refused.body, HasSubstr("protect_pattern"));
}

TEST_F(Native, RefusesWhatDeepLWouldDoWithFormality) {
  const auto status = [&](const char* formality) {
    return server
        ->post("/v2/translate",
               {{"text", {"a dog"}}, {"target_lang", "DE"}, {"source_lang", "EN"}, {"formality", formality}})
        .status;
  };
  EXPECT_EQ(status("more"), 400);
  EXPECT_EQ(status("prefer_more"), 200);
  EXPECT_EQ(status("default"), 200);
}

TEST_F(Native, ShowsModelsFromInside) {
  const Inspector inspector(model_file());
  const Json j = server
                     ->post("/v1/inspect", {{"q", "a dog"},
                                            {"t", "a cat"},
                                            {"model", "en-de"},
                                            {"tensors", {"encoder.layers.0.self_attention.weights"}}})
                     .json();
  EXPECT_EQ(j["source_tokens"], Json(inspector.inspect("a dog", "a cat").source_tokens));
  EXPECT_EQ(j["tensors"].size(), 1u) << j;
  const Json trace =
      server
          ->post("/v1/trace", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}, {"options", {{"extra_length", 5}}}})
          .json();
  EXPECT_EQ(trace["finished"][0]["text"],
            server->post("/v1/translate", {{"q", "a dog"}, {"model", "en-de"}}).json()["translations"][0][0]["text"]);
  EXPECT_EQ(server->post("/v1/inspect", {{"q", "a dog"}, {"source", "en"}, {"target", "fr"}}).status, 400)
      << "two models";
}

TEST_F(Native, ShowsItsPage) {
  const Received page = server->get("/");
  EXPECT_THAT(page.headers.at("content-type"), testing::StartsWith("text/html"));
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'self'"));
  EXPECT_EQ(server->ask("GET", "/", "", "", "If-None-Match: " + page.headers.at("etag") + "\r\n").status, 304);
  EXPECT_THAT(server->get("/assets/main.js").headers.at("content-type"), testing::StartsWith("text/javascript"));
  for (const char* path : {"/assets/none.js", "/assets/../index.html", "/assets/%2e%2e/x"})
    EXPECT_EQ(server->get(path).status, 404) << path;
}

struct NativeRuns : TestFolder {};

TEST_F(NativeRuns, AreThoseOfOneFolder) {
  std::filesystem::create_directories(at("runs/first"));
  std::ofstream(at("runs/first/train.jsonl")) << R"({"update":1,"loss":2.5})"
                                              << "\n";
  ServiceOptions o = small_service();
  o.runs = at("runs");
  RunningService s(o);
  EXPECT_EQ(s.get("/v1/runs").json()["runs"][0]["name"], "first") << s.get("/v1/runs").body;
  EXPECT_EQ(s.get("/v1/runs/first").json()["train"][0]["loss"], 2.5);
  for (const char* path : {"/v1/runs/second", "/v1/runs/..", "/v1/runs/%2e%2e%2fruns", "/v1/runs/first/.."})
    EXPECT_EQ(s.get(path).status, 404) << path;
  EXPECT_EQ(RunningService().get("/v1/runs").status, 404);
}

TEST_F(Native, TakesAGlossary) {
  const auto ask = [&](const Json& glossary, const char* model = "en-de") {
    return server->post("/v1/translate", {{"q", "a dog\na cat"}, {"model", model}, {"glossary", glossary}});
  };
  for (const Json& glossary : {Json{{"dog", "red"}}, Json::array({{"dog", "red"}})}) {
    const Json answer = ask(glossary).json(), lines = answer["translations"];
    const std::string text = lines[0][0]["text"];
    if (text.find("red") == text.npos && text.find("Red") == text.npos) {
      EXPECT_EQ(answer["warnings"][0]["line"], 1) << answer;
    }
    EXPECT_EQ(lines[1], ask(nullptr).json()["translations"][1]);
  }
  EXPECT_EQ(ask(Json::object()).json()["translations"], ask(nullptr).json()["translations"]);
  for (const Json& glossary :
       {Json("dog"), Json(5), Json{{"dog", 5}}, Json::array({"dog"}), Json::array({{"a", "b", "c"}})})
    EXPECT_THAT(error(ask(glossary)), HasSubstr("glossary must be an object")) << glossary;
  EXPECT_THAT(error(ask({{"dog", " "}})), HasSubstr("entry 1"));
  EXPECT_THAT(error(ask(Json::array({{"dog", "a"}, {"DOG", "b"}}))), HasSubstr("entry 2: 'DOG'"));
  EXPECT_THAT(error(ask({{"dog", "red"}}, "en-de+de-fr")), HasSubstr("by way of de"));
  EXPECT_THAT(ask({{"dog", "\u4e2d"}}).json()["warnings"][0]["what"].get<std::string>(), HasSubstr("no piece for"));
  Json many = Json::object();
  for (int i = 0; i <= 10'000; ++i) many[std::to_string(i)] = "a";
  EXPECT_THAT(error(ask(many)), HasSubstr("at most 10000"));
}

// Every route is described, every described path exists, and fields described as required are
// required.
TEST_F(Native, IsDescribedAsItIs) {
  const Json spec = server->get("/spec").json();
  EXPECT_EQ(spec["openapi"], "3.0.3");
  std::size_t operations = 0;
  for (const auto& [path, methods] : spec["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      ++operations;
      if (method == "delete" || path.starts_with("/v2/document/")) continue;  // needs an existing document or glossary
      const std::string name = method == "get" ? "GET" : "POST";
      const std::string target = std::regex_replace(path, std::regex("\\{name\\}"), "x");
      if (name == "GET") {
        EXPECT_NE(server->get(target).status, 405) << target;
        continue;
      }
      if (path == "/translate_file") continue;  // a form: FileRoutes.SayWhatIsWrong
      const Json schema = operation.value("/requestBody/content/application~1json/schema"_json_pointer, Json::object());
      for (const Json& field : schema.value("required", Json::array())) {
        Json body{{"q", "a"}, {"t", "a"}, {"source", "en"}, {"target", "de"}, {"text", {"a"}}, {"target_lang", "DE"}};
        body.update({{"name", "n"}, {"source_lang", "EN"}, {"entries", "a\tb"}});
        body = fields_of(*server, path, body);
        EXPECT_EQ(server->post(target, body).status / 100, 2) << target;
        body.erase(field.get<std::string>());
        EXPECT_EQ(server->post(target, body).status, 400) << target << " without " << field;
      }
    }
  EXPECT_EQ(operations, server->service.router().routes().size());
  EXPECT_GT(operations, 10u);
}

TEST_F(Native, DescribesTheOptionsOfTheSearch) {
  const Json options = server->get("/spec").json().value(
      "/paths/~1v1~1translate/post/requestBody/content/application~1json/schema/properties/options"_json_pointer,
      Json());
  EXPECT_EQ(options["additionalProperties"], false);
  EXPECT_EQ(options["properties"]["beam_size"]["maximum"], 1000);
  EXPECT_EQ(options["properties"]["unk"]["enum"], Json({"keep", "forbid", "copy"}));
  EXPECT_GT(options["properties"].size(), 20u);
}

TEST_F(Native, CountsWhatItDoes) {
  server->get("/health");
  const Received r = server->get("/metrics");
  EXPECT_EQ(r.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(r.body, HasSubstr("hexapla_requests_total{endpoint=\"/health\",code=\"200\"} "));
  EXPECT_THAT(r.body, HasSubstr("hexapla_request_duration_seconds_bucket{endpoint=\"/health\",le=\"+Inf\"} "));
  static const std::regex line("# (HELP|TYPE) .*|[a-z_]+(\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\})? [-+0-9.e]+");
  std::istringstream lines(r.body);
  for (std::string each; std::getline(lines, each);) EXPECT_TRUE(std::regex_match(each, line)) << each;
}

TEST_F(Native, CountsWhatTheDashboardShows) {
  server->get("/health");
  const std::string metrics = server->get("/metrics").body;
  const std::string dashboard = read_file(source_path("examples/serve/grafana.json"));
  EXPECT_TRUE(Json::accept(dashboard));
  static const std::regex name("(hexapla|process)_[a-z_]+");
  std::size_t names = 0;
  for (std::sregex_iterator at(dashboard.begin(), dashboard.end(), name), end; at != end; ++at, ++names)
    EXPECT_THAT(metrics, HasSubstr("\n" + at->str())) << "is not counted";
  EXPECT_GT(names, 10u);
}

TEST_F(Native, LogsRequestsWithoutTheirTexts) {
  for (const bool texts : {false, true}) {
    ServiceOptions o = small_service();
    std::string logged;
    std::mutex mutex;
    o.log_texts = texts;
    o.log = [&](const std::string& line) {
      const std::lock_guard lock(mutex);
      logged += line;
    };
    {
      RunningService s(o);
      s.ask("POST", "/translate?q=secret&source=en&target=de");
    }
    const Json j = Json::parse(logged);
    EXPECT_EQ(j["path"], "/translate");
    EXPECT_EQ(j["status"], 200);
    EXPECT_EQ(logged.find("secret") != std::string::npos, texts) << logged;
  }
}

TEST_F(Native, StopsTranslatingForClientsThatLeave) {
  ServiceOptions o = small_service();
  o.model.search = {{"extra-length", 400}, {"min-length", 350}};
  RunningService slow(o);
  const auto waiting = [&] {
    std::smatch found;
    const std::string metrics = slow.service.metrics();
    EXPECT_TRUE(std::regex_search(metrics, found, std::regex("\nhexapla_waiting_lines ([0-9]+)\n")));
    return std::stoi(found[1]);
  };
  const auto wait_until = [&](auto&& f) {
    for (int i = 0; i < 3000 && !f(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return f();
  };
  for (const char* path : {"/v1/translate", "/v1/translate/stream"}) {
    Client c(slow.port());
    const std::string body = json_text(Json{{"q", std::vector<std::string>(5000, "a dog runs")}, {"model", "en-de"}});
    c.send(std::string("POST ") + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_TRUE(wait_until([&] { return waiting() == 5000; }));
    c.close();
    EXPECT_TRUE(wait_until([&] { return waiting() == 0; })) << path;
  }
}

TEST_F(Native, WhatIsKeptIsWhatWouldComeAgain) {
  ServiceOptions o = small_service();
  o.cache = 1 << 20;
  RunningService s(o);
  const auto ask = [](RunningService& from, const std::vector<std::string>& lines, const Json& options) {
    return from.post("/v1/translate", {{"q", lines}, {"source", "en"}, {"target", "fr"}, {"options", options}})
        .json()["translations"];
  };
  const std::vector<std::string> some = made_up_lines(6, 1), more = made_up_lines(9, 1);
  for (const Json& options :
       {Json::object(), Json{{"n_best", 2}}, Json{{"alignment", "words"}}, Json{{"sample", true}, {"seed", 3}}})
    for (const auto* lines : {&some, &more, &some})
      EXPECT_EQ(ask(s, *lines, options), ask(*server, *lines, options)) << options;
  EXPECT_THAT(s.service.metrics(), testing::Not(HasSubstr("hexapla_cache_bytes 0\n")));
  EXPECT_THAT(server->service.metrics(), HasSubstr("hexapla_cache_bytes 0\n"));
}

TEST_F(Native, ModelsAreLoadedAgainWithoutLosingRequests) {
  RunningService s;
  const Json body{{"q", made_up_lines(50, 4)}, {"source", "en"}, {"target", "de"}};
  const Json expected = s.post("/translate", body).json();
  std::atomic<bool> done = false;
  std::thread reloads([&] {
    for (int i = 0; i < 3; ++i) s.service.reload(), std::this_thread::sleep_for(std::chrono::milliseconds(50));
    done = true;
  });
  do EXPECT_EQ(s.post("/translate", body).json(), expected);
  while (!done);
  reloads.join();
}

TEST_F(Native, StoppingAnswersWhatWasAccepted) {
  RunningService s;
  const Json body{{"q", made_up_lines(200, 4)}, {"source", "en"}, {"target", "de"}};
  std::atomic<int> answered = 0;
  std::vector<std::thread> clients;
  std::latch begun(4);
  for (int i = 0; i < 4; ++i)
    clients.emplace_back([&] {
      Client c(s.port());
      const std::string text = json_text(body);
      c.send("POST /translate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
             std::to_string(text.size()) + "\r\n\r\n" + text);
      begun.count_down();
      answered += c.receive().status == 200;
    });
  begun.wait();
  s.stop();
  for (std::thread& t : clients) t.join();
  EXPECT_EQ(answered, 4);
}

}  // namespace
}  // namespace hexapla::serve
