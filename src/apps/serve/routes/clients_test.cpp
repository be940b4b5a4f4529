// Tests what clients, proxies and Prometheus rely on.
#include <regex>

#include "data/packed/compression.h"
#include "serve/languages/detect.h"
#include "serve/languages/languages.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::ElementsAre;
using testing::HasSubstr;

struct Clients : WithService {};

std::string gzipped(const std::string& text) {
  std::string packed;
  const auto compressor = data::compressor(data::Compression::gzip, [&](std::string_view bytes) { packed += bytes; });
  compressor->write(text);
  compressor->finish();
  return packed;
}

TEST_F(Clients, SendBodiesPackedWithGzip) {
  const std::string more = "Content-Encoding: gzip\r\n", form = "application/x-www-form-urlencoded";
  const Json body{{"q", "a dog"}, {"source", "en"}, {"target", "de"}};
  const Json expected = server->post("/translate", body).json();
  const std::string packed = gzipped(json_text(body));
  EXPECT_EQ(server->ask("POST", "/translate", packed, "application/json", more).json(), expected);
  EXPECT_EQ(server->ask("POST", "/translate", packed, "application/json", "Content-Encoding: GZip\r\n").json(),
            expected);
  EXPECT_EQ(server->ask("POST", "/translate", gzipped("q=a+dog&source=en&target=de"), form, more).json(), expected);
  EXPECT_EQ(server->ask("POST", "/translate", json_text(body), "application/json", "Content-Encoding: br\r\n").status,
            415);
  std::string wrong_size = packed, damaged = packed;
  ++wrong_size[packed.size() - 4];
  damaged[packed.size() / 2] ^= 0x55;
  for (const std::string& bad : {wrong_size, damaged, packed + packed, std::string("{}")})
    EXPECT_EQ(server->ask("POST", "/translate", bad, "application/json", more).status, 400);
}

// As bytes that are not gzip, however they are damaged and whatever size their end seems to say.
TEST_F(Clients, SendGzipInMembersAndDamaged) {
  const auto status = [&](const std::string& packed) {
    return server->ask("POST", "/detect", packed, "application/json", "Content-Encoding: gzip\r\n").status;
  };
  const std::string body = R"({"q":"a dog runs here"})", whole = gzipped(body);
  for (std::size_t n = 0; n <= body.size(); ++n)
    EXPECT_EQ(status(gzipped(body.substr(0, n)) + gzipped(body.substr(n))), 200) << "members, the first of " << n;
  for (std::size_t n = 1; n < whole.size(); ++n) {
    EXPECT_EQ(status(whole.substr(0, n)), 400) << "the first " << n << " bytes";
    std::string other = whole;
    other[n] = static_cast<char>(~other[n]);
    EXPECT_EQ(status(other), n < 4 || n > 9 ? 400 : 200) << "byte " << n;  // 4 to 9: time, level, system
  }
}

TEST_F(Clients, SendNoMoreThanFitsUnpacked) {
  ServerOptions http;
  http.limits.body = 10'000;
  RunningService s(small_service(), http);
  const auto status = [&](std::size_t size, std::size_t claimed) {
    std::string packed = gzipped("{\"q\":\"" + std::string(size - 8, 'a') + "\"}");
    for (std::size_t i = 0; i < 4; ++i) packed[packed.size() - 4 + i] = static_cast<char>(claimed >> 8 * i);
    return s.ask("POST", "/detect", packed, "application/json", "Content-Encoding: gzip\r\n").status;
  };
  EXPECT_EQ(status(10'000, 10'000), 200);
  EXPECT_EQ(status(10'001, 10'001), 413);
  EXPECT_EQ(status(8'000'000, 8'000'000), 413);
  EXPECT_EQ(status(8'000'000, 100), 413) << "it is too large, whatever it says";
  for (const std::size_t claimed : {std::size_t{100}, std::size_t{10'001}, std::size_t{0xFFFFFFFF}})
    EXPECT_EQ(status(9'000, claimed), 400) << "damaged, and not too large";
}

// A value of any JSON is refused for what it is.
TEST_F(Clients, AreToldWhatAValueMustBe) {
  const Json body{{"q", "a dog"}, {"source", "en"}, {"target", "de"}};
  for (const Json& wrong : {Json::array({1}), Json::object(), Json("x"), Json(true)}) {
    Json its = body;
    its["alternatives"] = wrong;
    EXPECT_EQ(error(server->post("/translate", its)), "Invalid request: alternatives parameter is not a number");
  }
  for (const auto& [path, field] : {std::pair{"/translate", "format"},
                                    {"/translate", "source"},
                                    {"/v2/translate", "outline_detection"},
                                    {"/v2/translate", "tag_handling"}})
    for (const auto& [wrong, what] : {std::pair{Json::array({1}), "not a list"}, {Json::object(), "not an object"}}) {
      Json its{{"q", "a"}, {"text", "a"}, {"source", "en"}, {"target", "de"}, {"target_lang", "DE"}};
      its[field] = wrong;
      const Received r = server->post(path, its);
      EXPECT_EQ(r.status, 400);
      EXPECT_THAT(r.body, HasSubstr(cat(field, " must be a single value, ", what)));
    }
}

// The time that ended a request is named as the client, or the operator, gave it.
TEST_F(Clients, AreToldWhichTimeWasUp) {
  const std::string book = [] {
    std::string lines;
    for (int i = 0; i < 300; ++i) lines += "a dog runs here and there\n";
    return lines;
  }();
  Json body{{"q", book}, {"source", "en"}, {"target", "de"}, {"timeout_ms", 1}};
  body["options"] = {{"beam_size", 16}, {"min_length", 100}};
  Received r = server->post("/v1/translate", body);
  EXPECT_EQ(r.status, 504);
  EXPECT_THAT(r.body, HasSubstr("timeout_ms is 1;"));
  ServiceOptions o = small_service();
  o.timeout = std::chrono::milliseconds(1);
  o.model.search = {{"min-length", 200}};
  RunningService s(o);
  body.erase("timeout_ms"), body.erase("options");
  for (const char* path : {"/v1/translate", "/v1/translate/stream", "/translate", "/v2/translate"}) {
    const Received late = s.post(path, fields_of(s, path,
                                                 {{"q", book},
                                                  {"text", book},
                                                  {"source", "en"},
                                                  {"target", "de"},
                                                  {"target_lang", "DE"},
                                                  {"source_lang", "EN"}}));
    EXPECT_THAT(late.body, HasSubstr("--timeout")) << path;
    EXPECT_THAT(late.body, testing::Not(HasSubstr("timeout_ms"))) << path;
  }
}

// A form costs no more than JSON of the same number of bytes: its fields are counted before any is made.
TEST_F(Clients, SendSoManyFields) {
  const std::string form = "application/x-www-form-urlencoded", multipart = "multipart/form-data; boundary=b";
  const auto fields = [](std::size_t n, const std::string& one) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += one;
    return all;
  };
  const std::string part = "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
  for (const std::string one : {"a&", "a=b&", "&", "%61&"}) {
    EXPECT_EQ(server->ask("POST", "/detect", fields(kMostFields - 1, one) + "q=a+dog", form).status, 200) << one;
    EXPECT_EQ(server->ask("POST", "/detect", fields(kMostFields + 1, one) + "q=a+dog", form).status, 413) << one;
  }
  EXPECT_EQ(server->ask("POST", "/detect", fields(kMostFields + 1, part) + "--b--\r\n", multipart).status, 413);
  EXPECT_EQ(
      server
          ->ask("POST", "/detect",
                fields(9, part) + "--b\r\nContent-Disposition: form-data; name=q\r\n\r\na dog\r\n--b--\r\n", multipart)
          .status,
      200);
}

TEST_F(Clients, NameLanguagesWithRegionsAndScripts) {
  ServiceOptions o = small_service();
  o.models = {{model_file(), "en", "zh-Hans"}, {model_file(), "en", "pt-BR"}};
  RunningService s(o);
  for (const auto& [source, target, found] : {std::tuple{"en-US", "zh-Hans", true},
                                              {"EN_gb", "zh", true},
                                              {"en-001", "zh-CN", true},
                                              {"en", "zh-Hans-SG", true},
                                              {"en-US", "pt-BR", true},
                                              {"en-AU", "pt", true},
                                              {"en", "zh-TW", false},
                                              {"en", "zh-Hant", false},
                                              {"en", "pt-PT", false},
                                              {"de-AT", "pt", false}}) {
    const std::string what = std::string(source) + " to " + target;
    const Json text = "a dog";
    EXPECT_EQ(s.post("/translate", {{"q", text}, {"source", source}, {"target", target}}).status == 200, found) << what;
    EXPECT_EQ(s.post("/v1/translate", {{"q", text}, {"source", source}, {"target", target}}).status == 200, found)
        << what;
    EXPECT_EQ(s.post("/v2/translate", {{"text", text}, {"source_lang", source}, {"target_lang", target}}).status == 200,
              found)
        << what;
  }
  EXPECT_EQ(language_code("en-1"), "");
  EXPECT_EQ(language_code("zh-Hans-"), "");
  EXPECT_EQ(language_code("es-419"), "es-419");
}

TEST_F(Clients, TextsAreInALanguageThatIsServed) {
  const auto best = [](const std::string& text, const std::vector<std::string>& among) {
    return detect_language(text, among).front().code;
  };
  const std::vector<std::string> two{"en", "de"}, many{"en", "de", "fr", "es", "pt-BR", "zh-Hans", "ar", "th"};
  for (const auto& some : {two, many}) {
    EXPECT_EQ(best("Ein Hund rennt.", some), "de");
    EXPECT_EQ(best("A dog runs.", some), "en");
    EXPECT_EQ(best("Zwei Männer stehen am Herd.", some), "de");
  }
  EXPECT_EQ(best("Un chien court.", many), "fr");
  EXPECT_EQ(best("Um cachorro corre na grama.", many), "pt-BR");
  EXPECT_EQ(best("一只狗在跑。", many), "zh-Hans");
  EXPECT_EQ(best("كلب يجري", many), "ar");
  EXPECT_EQ(best("สุนัขวิ่ง", many), "th");
  EXPECT_EQ(detect_language("一只狗在跑。", two).front().confidence, 0);
  EXPECT_EQ(best("Ein Hund rennt.", {"de"}), "de");
}

TEST_F(Clients, OfDeepLHaveEachTextDetected) {
  const std::vector<std::string> texts{"A dog runs.", "Ein Hund rennt.", "", "A cat"};
  const Json all = server->post("/v2/translate", {{"text", texts}, {"target_lang", "FR"}}).json()["translations"];
  ASSERT_EQ(all.size(), texts.size());
  std::vector<std::string> languages;
  for (const Json& one : all) languages.push_back(one["detected_source_language"]);
  EXPECT_THAT(languages, ElementsAre("EN", "DE", "EN", "EN"));
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(all[i]["text"],
              texts[i].empty()
                  ? Json("")
                  : server->post("/translate", {{"q", texts[i]}, {"source", i == 1 ? "de" : "en"}, {"target", "fr"}})
                        .json()["translatedText"]);
}

// With both directions of a pair, no text is refused for its language, and one that may be in either
// language is translated.
TEST_F(Clients, HaveEveryShortTextTranslated) {
  ServiceOptions o = small_service();
  o.models = {{model_file(), "en", "pt"}, {model_file(), "pt", "en"}, {model_file(), "de", "fr"}};
  RunningService s(o);
  for (const char* text :
       {"Hello!", "Help", "Hotel", "Good morning", "Next week", "Guten Tag", "Merci", "Xqzt", "Привет"}) {
    const Json libre = s.post("/translate", {{"q", text}, {"source", "auto"}, {"target", "pt"}}).json();
    EXPECT_EQ(libre["detectedLanguage"]["language"], "en") << text << libre;
    const Json native = s.post("/v1/translate", {{"q", text}, {"source", "auto"}, {"target", "pt"}}).json();
    EXPECT_EQ(native["translations"][0][0]["text"], libre["translatedText"]) << native;
    const Json deepl = s.post("/v2/translate", {{"text", {text}}, {"target_lang", "PT"}}).json();
    EXPECT_EQ(deepl["translations"][0]["detected_source_language"], "EN") << text << deepl;
    EXPECT_EQ(deepl["translations"][0]["text"], libre["translatedText"]);
  }
  for (const char* text : {"Bom dia", "Muito obrigado", "Onde fica a estação?"}) {
    const Json libre = s.post("/translate", {{"q", text}, {"source", "auto"}, {"target", "pt"}}).json();
    EXPECT_EQ(libre["detectedLanguage"]["language"], "pt") << libre;
    EXPECT_EQ(libre["translatedText"], text);
    EXPECT_EQ(s.post("/v1/translate", {{"q", text}, {"source", "auto"}, {"target", "pt"}}).status, 200);
  }
}

// Prometheus's conventions: counters, and only they, end with _total; each metric has one HELP and
// one TYPE before its values.
TEST_F(Clients, OfPrometheusFindNamesAndTypes) {
  ServiceOptions o = small_service();
  o.cache = 1 << 20;
  RunningService s(o);
  for (int i = 0; i < 2; ++i) s.post("/translate", {{"q", "a dog\na cat"}, {"source", "en"}, {"target", "de"}});
  std::istringstream lines(s.get("/metrics").body);
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> values;
  static const std::regex type("# TYPE ([a-z_]+) (counter|gauge|histogram)"), help("# HELP ([a-z_]+) [A-Z].*\\."),
      value("([a-z_]+)(\\{.*\\})? ([0-9.e+-]+)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, type)) {
      EXPECT_TRUE(types.emplace(found[1], found[2]).second) << line << " comes twice";
      EXPECT_EQ(found[2] == "counter", found[1].str().ends_with("_total")) << line;
    } else if (!std::regex_match(line, help)) {
      ASSERT_TRUE(std::regex_match(line, found, value)) << line;
      const std::string name = std::regex_replace(found[1].str(), std::regex("_(bucket|sum|count)$"), "");
      EXPECT_TRUE(types.count(name) + types.count(found[1]) > 0) << line << " has no type before it";
      values[found[1]] = found[3];
    }
  }
  EXPECT_EQ(values["hexapla_cache_hits_total"], "2");
  EXPECT_EQ(values["hexapla_cache_misses_total"], "2");
  EXPECT_EQ(types["hexapla_connections_refused_total"], "counter");
}

}  // namespace
}  // namespace hexapla::serve
