// LibreTranslate's API as clients see it: statuses, texts and shapes are those of LibreTranslate
// 1.9.6.
#include <cstring>
#include <fstream>
#include <set>

#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::ElementsAre;

struct Libre : WithService {
  static std::string translated(const std::string& line) {
    static const Translator translator(model_file());
    return translator.translate(line, small_search());
  }
};

TEST_F(Libre, ALinesBytesAreThoseOfTranslate) {
  const std::vector<std::string> lines = made_up_lines(20, 3);
  Client c(server->port());
  for (const std::string& line : lines)
    EXPECT_EQ(c.post("/translate", {{"q", line}, {"source", "en"}, {"target", "de"}}).json(),
              Json({{"translatedText", translated(line)}}));
  Json all = Json::array();
  for (const std::string& line : lines) all.push_back(translated(line));
  EXPECT_EQ(c.post("/translate", {{"q", lines}, {"source", "en"}, {"target", "de"}}).json()["translatedText"], all);
}

TEST_F(Libre, TakesJsonFormsAndQueries) {
  const Json expected{{"translatedText", translated("a big dog")}};
  EXPECT_EQ(server->post("/translate", {{"q", "a big dog"}, {"source", "EN"}, {"target", "De"}, {"unknown", 1}}).json(),
            expected);
  EXPECT_EQ(server
                ->ask("POST", "/translate", "q=a+big%20dog&source=en&target=de&format=text",
                      "application/x-www-form-urlencoded")
                .json(),
            expected);
  EXPECT_EQ(server->ask("POST", "/translate?q=a%20big%20dog&source=en&target=de&api_key=x").json(), expected);
  const std::string parts =
      "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na big dog\r\n--b\r\nContent-Disposition: form-data; "
      "name=\"source\"\r\n\r\nen\r\n--b\r\nContent-Disposition: form-data; name=target\r\n\r\nde\r\n--b--\r\n";
  EXPECT_EQ(server->ask("POST", "/translate", parts, "multipart/form-data; boundary=b").json(), expected);
}

TEST_F(Libre, KeepsTheLinesOfAText) {
  const std::string text = "a dog\n\n  \r\nthe cat runs\r\n";
  const std::string expected = translated("a dog") + "\n\n  \r\n" + translated("the cat runs") + "\r\n";
  EXPECT_EQ(server->post("/translate", {{"q", text}, {"source", "en"}, {"target", "de"}}).json()["translatedText"],
            expected);
  EXPECT_EQ(server
                ->ask("POST", "/translate", "q=a+dog%0D%0Aa+cat%0D%0A&source=en&target=de",
                      "application/x-www-form-urlencoded")
                .json()["translatedText"],
            translated("a dog") + "\n" + translated("a cat"));
}

TEST_F(Libre, KeepsTheTagsOfHtml) {
  const Json j =
      server
          ->post("/translate",
                 {{"q", "<p>a <b>big</b> dog</p>\n<hr>"}, {"source", "en"}, {"target", "de"}, {"format", "html"}})
          .json();
  std::string html = j.value("translatedText", "");
  EXPECT_THAT(html, testing::AllOf(testing::StartsWith("<p>"), testing::EndsWith("</p>\n<hr>"),
                                   testing::HasSubstr("<b>"), testing::HasSubstr("</b>")))
      << j;
  for (const char* tag : {"<p>", "</p>\n<hr>", "<b>", "</b>"})
    for (size_t at; (at = html.find(tag)) != std::string::npos;) html.erase(at, std::strlen(tag));
  EXPECT_EQ(html, translated("a big dog"));
}

TEST_F(Libre, KeepsTheTagsOfHtmlThroughAThirdLanguage) {
  const Json j = server
                     ->post("/translate", {{"q", "The <b>old dog</b> sees <img src=x> a <i>cat</i>."},
                                           {"source", "en"},
                                           {"target", "fr"},
                                           {"format", "html"}})
                     .json();
  const std::string html = j.value("translatedText", "");
  for (const std::string tag : {"<b>", "</b>", "<i>", "</i>", "<img src=x>"})
    EXPECT_TRUE(html.find(tag) != std::string::npos && html.find(tag) == html.rfind(tag)) << tag << " in " << html;
}

TEST_F(Libre, GivesAlternatives) {
  const Json one =
      server->post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}}).json();
  EXPECT_EQ(one["translatedText"], translated("a dog"));
  ASSERT_EQ(one["alternatives"].size(), 2u);
  EXPECT_NE(one["alternatives"][0], one["alternatives"][1]);
  const Json list =
      server->post("/translate", {{"q", {"a dog", "a cat"}}, {"source", "en"}, {"target", "de"}, {"alternatives", "1"}})
          .json();
  EXPECT_EQ(list["alternatives"].size(), 2u);
  EXPECT_EQ(list["alternatives"][0].size(), 1u);
}

// This model segments the same words in several ways, and several are among its best translations.
TEST_F(Libre, AlternativesAreOtherTexts) {
  ServiceOptions o;
  o.models = {{source_path("tests/fixtures/run_of_0.1.0/model.safetensors"), "en", "de"}};
  RunningService s(o);
  for (const char* q : {"a", "dog", "big", "big a", "big dog"}) {
    const Json answer =
        s.post("/translate", {{"q", q}, {"source", "en"}, {"target", "de"}, {"alternatives", 10}}).json();
    std::set<std::string> all{answer["translatedText"].get<std::string>()};
    for (const Json& other : answer["alternatives"]) EXPECT_TRUE(all.insert(other.get<std::string>()).second) << other;
  }
}

// Alternatives do not depend on the beam recorded in the model file or given to the server.
TEST_F(Libre, AlternativesDoNotHangOnTheModelsOwnBeam) {
  const std::string greedy = testing::TempDir() + "hexapla_libre_greedy" + std::to_string(getpid());
  api::test::save_recorded(greedy, {{"beam-size", "1"}});
  ServiceOptions o = test::small_service();
  o.models = {{greedy, "en", "de"}};
  RunningService s(o);
  for (int alternatives = 1; alternatives <= 4; ++alternatives) {
    const Received r =
        s.post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}, {"alternatives", alternatives}});
    EXPECT_EQ(r.status, 200) << alternatives << r.body;
    EXPECT_GT(r.json()["alternatives"].size(), 0u);
  }
  const Json four{{"q", "a dog"}, {"source", "en"}, {"target", "de"}, {"options", {{"beam_size", 4}, {"n_best", 3}}}};
  EXPECT_EQ(s.post("/v1/translate", four).json()["translations"],
            server->post("/v1/translate", four).json()["translations"]);
  std::remove(greedy.c_str());
}

TEST_F(Libre, LeavesWhatHasNoWordsAsItIs) {
  for (const char* text : {"   ", "😀", "\n\n"})
    EXPECT_EQ(server->post("/translate", {{"q", text}, {"source", "auto"}, {"target", "de"}}).json(),
              Json({{"translatedText", text}, {"detectedLanguage", {{"language", "en"}, {"confidence", 0.0}}}}));
  EXPECT_EQ(server->post("/translate", {{"q", "a dog"}, {"source", "de"}, {"target", "de"}}).json(),
            Json({{"translatedText", "a dog"}}));
}

TEST_F(Libre, FindsOutTheLanguage) {
  const std::string german = "Der Hund läuft schnell über die Straße, und die Katze schläft auf dem Sofa.";
  const Json detected = server->post("/detect", {{"q", german}}).json();
  ASSERT_EQ(detected.size(), 1u);
  EXPECT_EQ(detected[0]["language"], "de");
  EXPECT_GT(detected[0]["confidence"], 80);
  const Json answer =
      server->post("/translate", {{"q", {german, german}}, {"source", "auto"}, {"target", "fr"}}).json();
  EXPECT_EQ(answer["detectedLanguage"].size(), 2u);
  EXPECT_EQ(answer["detectedLanguage"][0]["language"], "de");
  EXPECT_EQ(server->post("/detect", {{"q", "123 4!"}}).json()[0]["confidence"], 0);
}

TEST_F(Libre, GoesThroughAThirdLanguage) {
  const Translator translator(model_file());
  EXPECT_EQ(server->post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "fr"}}).json()["translatedText"],
            translator.translate(translated("a dog"), small_search()));
}

TEST_F(Libre, SaysWhatIsWrong) {
  const Json sound{{"q", "a dog"}, {"source", "en"}, {"target", "de"}};
  const auto with = [&](const std::string& name, const Json& value) {
    Json body = sound;
    if (value.is_null())
      body.erase(name);
    else
      body[name] = value;
    return server->post("/translate", body);
  };
  for (const char* name : {"q", "source", "target"}) {
    EXPECT_EQ(with(name, nullptr).status, 400);
    EXPECT_EQ(error(with(name, nullptr)), std::string("Invalid request: missing ") + name + " parameter");
    EXPECT_EQ(error(with(name, "")), std::string("Invalid request: missing ") + name + " parameter");
  }
  EXPECT_EQ(error(with("q", Json::array())), "Invalid request: missing q parameter");
  EXPECT_EQ(with("q", 5).status, 400);
  EXPECT_EQ(with("q", {1, 2}).status, 400);
  EXPECT_EQ(error(with("source", "zz")), "zz is not supported");
  EXPECT_EQ(error(with("target", "zz")), "zz is not supported");
  EXPECT_EQ(error(with("format", "md")), "md format is not supported");
  EXPECT_EQ(error(with("alternatives", 11)), "Invalid request: alternatives parameter must be <= 10");
  EXPECT_EQ(error(with("alternatives", "x")), "Invalid request: alternatives parameter is not a number");
  EXPECT_EQ(error(server->post("/translate", {{"q", "a"}, {"source", "fr"}, {"target", "en"}})),
            "English (en) is not available as a target language from French (fr)");
  EXPECT_EQ(error(server->ask("POST", "/translate", "[1]")), "Invalid JSON format");
  EXPECT_EQ(error(server->ask("POST", "/translate", "{\"q\": \"it\x92s caf\xE9\"}")),
            "the request is not UTF-8; it looks like WINDOWS-1252: convert it with: iconv -f WINDOWS-1252 -t UTF-8");
  EXPECT_EQ(server->ask("POST", "/translate", "{").status, 400);
  EXPECT_EQ(server->ask("POST", "/translate", "{\"q\": \"\xff\"}").status, 400);
  EXPECT_EQ(server->ask("POST", "/translate", std::string(100, '[') + std::string(100, ']')).status, 400);
  EXPECT_EQ(server->ask("POST", "/translate", "q=%ff&source=en&target=de", "application/x-www-form-urlencoded").status,
            400);
  EXPECT_EQ(server->ask("POST", "/translate", "q=%zz", "application/x-www-form-urlencoded").status, 400);
  EXPECT_EQ(server->ask("POST", "/translate", "--b\r\nx", "multipart/form-data; boundary=b").status, 400);
}

TEST_F(Libre, OffersItsLanguagesAndSettings) {
  const Json languages = server->get("/languages").json();
  ASSERT_EQ(languages.size(), 3u);
  EXPECT_EQ(languages[0], Json({{"code", "en"}, {"name", "English"}, {"targets", {"de", "fr", "en"}}}));
  const Json settings = server->get("/frontend/settings").json();
  EXPECT_EQ(settings["charLimit"], -1);
  EXPECT_EQ(settings["language"]["target"]["name"], "German");
  EXPECT_EQ(server->get("/health").json(), Json({{"status", "ok"}}));
  EXPECT_EQ(server->get("/ready").status, 200);
  EXPECT_EQ(error(server->post("/suggest", Json::object())), "Suggestions are disabled on this server.");
}

TEST_F(Libre, LetsOtherSitesAsk) {
  const Router& router = server->service.router();
  for (const Route& route : router.routes()) {
    const Received r = server->ask("OPTIONS", route.path.ends_with("*") ? route.path + "x" : route.path);
    EXPECT_EQ(r.status, 204) << route.path;
    EXPECT_EQ(r.headers.at("access-control-allow-origin"), "*");
    EXPECT_THAT(r.headers.at("access-control-allow-methods"), testing::HasSubstr(route.method)) << route.path;
    EXPECT_THAT(r.headers.at("allow"), testing::HasSubstr(route.method)) << route.path;
  }
  EXPECT_EQ(server->get("/nothing").headers.at("access-control-allow-origin"), "*");
}

TEST_F(Libre, RefusesOtherPathsAndMethods) {
  EXPECT_EQ(server->get("/nothing").status, 404);
  EXPECT_EQ(server->get("/../etc/passwd").status, 404);
  EXPECT_EQ(server->get("/%00").status, 400);
  EXPECT_EQ(server->get("/%ff").status, 400);
  const Received r = server->get("/translate");
  EXPECT_EQ(r.status, 405);
  EXPECT_EQ(r.headers.at("allow"), "POST, OPTIONS");
  EXPECT_TRUE(r.json().contains("error"));
  EXPECT_EQ(server->ask("BREW", "/translate").status, 405);
}

TEST_F(Libre, KeepsToItsLimits) {
  ServiceOptions o = small_service();
  o.char_limit = 10, o.batch_limit = 2;
  RunningService limited(o);
  EXPECT_EQ(error(limited.post("/translate", {{"q", std::string(11, 'a')}, {"source", "en"}, {"target", "de"}})),
            "Invalid request: request (11) exceeds text limit (10)");
  EXPECT_EQ(limited.post("/translate", {{"q", "ääääääääää"}, {"source", "en"}, {"target", "de"}}).status, 200)
      << "ten characters";
  EXPECT_EQ(error(limited.post("/translate", {{"q", {"a", "a", "a"}}, {"source", "en"}, {"target", "de"}})),
            "Invalid request: request (3) exceeds text limit (2)");
}

TEST_F(Libre, SendsAwayMoreLinesThanItHasRoomFor) {
  ServiceOptions o = small_service();
  o.waiting_lines = 3;
  RunningService limited(o);
  EXPECT_EQ(limited.post("/translate", {{"q", "a\nb\nc\nd"}, {"source", "en"}, {"target", "de"}}).status, 413);
  EXPECT_EQ(limited.post("/translate", {{"q", "a\nb\nc"}, {"source", "en"}, {"target", "de"}}).status, 200);
}

struct LibreKeys : TestFolder {};

TEST_F(LibreKeys, AreAskedForAndCounted) {
  std::ofstream(at("keys")) << "# who may\nalice 2\nbob 0 5\n";
  ServiceOptions o = small_service();
  o.api_keys = at("keys");
  RunningService s(o);
  const auto ask = [&](const Json& key) {
    Json body{{"q", "a dog"}, {"source", "en"}, {"target", "de"}};
    if (!key.is_null()) body["api_key"] = key;
    return s.post("/translate", body);
  };
  EXPECT_EQ(ask(nullptr).status, 400);
  EXPECT_EQ(ask(nullptr).json()["error"], "Please contact the server operator to get an API key");
  EXPECT_EQ(ask("eve").status, 403);
  EXPECT_EQ(ask("eve").json()["error"], "Invalid API key");
  EXPECT_EQ(ask("alice").status, 200);
  EXPECT_EQ(s.ask("POST", "/translate", R"({"q":"a","source":"en","target":"de"})", "application/json",
                  "Authorization: Bearer alice\r\n")
                .status,
            200);
  const Received slow = ask("alice");
  EXPECT_EQ(slow.status, 429);
  EXPECT_EQ(slow.json()["error"], "Slowdown: 2 per 1 minute");
  EXPECT_GT(std::stoi(slow.headers.at("retry-after")), 0);
  EXPECT_EQ(ask("bob").status, 200);
  EXPECT_EQ(s.post("/translate", {{"q", "a dog runs"}, {"source", "en"}, {"target", "de"}, {"api_key", "bob"}}).status,
            400);
  EXPECT_EQ(s.get("/languages").status, 200);
  EXPECT_EQ(s.get("/frontend/settings").json()["keyRequired"], true);
  std::ofstream(at("wrong")) << "alice many\n";
  EXPECT_THROW(ApiKeys(at("wrong"), 0), DataError);
}

TEST_F(Libre, LimitsAnAddressWithoutKeys) {
  ServiceOptions o = small_service();
  o.requests_per_minute = 1;
  RunningService s(o);
  EXPECT_EQ(s.post("/detect", {{"q", "a dog"}}).status, 200);
  EXPECT_EQ(s.post("/detect", {{"q", "a dog"}}).status, 429);
}

TEST_F(Libre, CountsRequestsOfAnAddressBeforeItReadsThem) {
  ServiceOptions o = small_service();
  o.requests_per_minute = 1;
  RunningService s(o);
  EXPECT_EQ(Client(s.port()).ask("POST", "/detect", "{").status, 400);
  EXPECT_EQ(Client(s.port()).ask("POST", "/detect", "{").status, 429);
  EXPECT_EQ(s.get("/languages").status, 200);
}

TEST_F(Libre, AModelWithoutLanguagesAnswersForAny) {
  ServiceOptions o = small_service();
  o.models = {{model_file(), "", ""}};
  RunningService s(o);
  for (const auto& [from, to] : {std::pair{"en", "ja"}, {"auto", "de"}, {"und", "und"}})
    EXPECT_EQ(s.post("/translate", {{"q", "a dog"}, {"source", from}, {"target", to}}).json()["translatedText"],
              translated("a dog"))
        << from;
  EXPECT_EQ(s.get("/languages").json()[0]["code"], "und");
}

}  // namespace
}  // namespace hexapla::serve
