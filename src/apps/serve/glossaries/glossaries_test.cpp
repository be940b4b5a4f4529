#include "serve/glossaries/glossary_shelf.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {
using namespace test;  // shared by tests of this layer
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

template <class F>
std::string refused(F&& f) {
  try {
    f();
  } catch (const HttpError& e) {
    return std::to_string(e.status) + " " + e.what();
  }
  return "";
}

TEST(GlossaryEntries, AreReadFromTsv) {
  EXPECT_THAT(entries_of_tsv("dog\tHund\r\n\n狗\tสุนัข\nكلب\tdog "),
              ElementsAre(Pair("dog", "Hund"), Pair("狗", "สุนัข"), Pair("كلب", "dog ")));
  EXPECT_THAT(entries_of_tsv(""), IsEmpty());
  EXPECT_THAT(refused([] { entries_of_tsv("a\tb\nc"); }), HasSubstr("400 entries, line 2"));
  EXPECT_THAT(refused([] { entries_of_tsv("a\tb\tc"); }), HasSubstr("line 1"));
  EXPECT_EQ(tsv_of(entries_of_tsv("a\tb\r\nc\td\n")), "a\tb\nc\td");
}

TEST(GlossaryEntries, AreReadFromCsv) {
  EXPECT_THAT(entries_of_csv("dog,Hund\r\n\"a, \"\"b\"\"\",\"c\nd\",en,de\n\n狗,\"\""),
              ElementsAre(Pair("dog", "Hund"), Pair("a, \"b\"", "c\nd"), Pair("狗", "")));
  EXPECT_THAT(entries_of_csv(""), IsEmpty());
  for (const char* wrong : {"a,b\nc", "a,b\nc,d,e", "a,b\nc,d,e,f,g,h", "a,b\n\"c,d", "a,b\n\"c\"d,e", "a,b\n\"\"c,d"})
    EXPECT_THAT(refused([&] { entries_of_csv(wrong); }), HasSubstr("400 entries, line 2")) << wrong;
  EXPECT_THAT(refused([] { entries_of_csv("\"a\n\n\",b\nc"); }), HasSubstr("line 4"));
}

TEST(GlossaryShelf, HasRoomForSoMuchAndNoMore) {
  GlossaryShelf shelf(12'000);
  const Entries some{{"dog", std::string(1000, 'x')}};
  const auto first = shelf.put({.owner = "a"}, some);
  EXPECT_NE(shelf.put({.owner = "b"}, some)->id, first->id);
  EXPECT_THAT(refused([&] { shelf.put({.owner = "b"}, some); }), HasSubstr("456"));
  EXPECT_EQ(shelf.get("b", first->id), nullptr) << "it belongs to somebody else";
  EXPECT_FALSE(shelf.drop("b", first->id));
  EXPECT_EQ(shelf.all("a").size(), 1u);
  EXPECT_TRUE(shelf.drop("a", first->id));
  EXPECT_EQ(shelf.get("a", first->id), nullptr);
  EXPECT_EQ(first->terms.size(), 1u) << "whoever has it keeps it";
  EXPECT_NE(shelf.put({.owner = "b"}, some), nullptr);
  EXPECT_THAT(refused([&] { shelf.put({.owner = "b"}, {}); }), HasSubstr("400"));
  EXPECT_THAT(refused([&] { shelf.put({.owner = "b"}, Entries(10'001, {"a", "b"})); }), HasSubstr("10001 terms"));
}

TEST(GlossaryShelf, WhatNobodyAskedForMakesRoom) {
  GlossaryShelf shelf(7'000, std::chrono::seconds(0));
  const Entries some{{"dog", std::string(1000, 'x')}};
  const auto first = shelf.put({.owner = "a"}, some);
  shelf.put({.owner = "a"}, some);
  EXPECT_EQ(shelf.get("a", first->id), nullptr);
}

struct Glossaries : WithService {
  static constexpr const char* kAlice = "Authorization: DeepL-Auth-Key alice\r\n";
  static Received ask(const std::string& method, const std::string& target, const Json& body = {},
                      const std::string& key = kAlice) {
    return server->ask(method, target, body.is_null() ? "" : json_text(body), "application/json", key);
  }
  static Json terms() {
    return {{"name", "mine"}, {"source_lang", "EN"}, {"target_lang", "DE"}, {"entries", "dog\tred\ncat\ttwo"}};
  }
  static std::string message(const Received& r) {
    return std::to_string(r.status) + " " + r.json().value("message", "");
  }
};

TEST_F(Glossaries, AreMadeListedReadAndDeleted) {
  const Received made = ask("POST", "/v2/glossaries", terms());
  EXPECT_EQ(made.status, 201) << made.body;
  const Json g = made.json();
  EXPECT_EQ(g["entry_count"], 2);
  EXPECT_EQ(g["source_lang"], "en");
  const std::string path = "/v2/glossaries/" + g["glossary_id"].get<std::string>();
  EXPECT_EQ(ask("GET", path).json(), g);
  EXPECT_EQ(ask("GET", "/v2/glossaries").json()["glossaries"], Json::array({g}));
  EXPECT_EQ(ask("GET", path + "/entries").body, "dog\tred\ncat\ttwo");
  EXPECT_THAT(ask("GET", path + "/entries").headers.at("content-type"), HasSubstr("text/tab-separated-values"));
  const std::string bob = "Authorization: DeepL-Auth-Key bob\r\n";
  EXPECT_EQ(ask("GET", "/v2/glossaries", {}, bob).json()["glossaries"], Json::array());
  for (const char* method : {"GET", "DELETE"}) EXPECT_EQ(message(ask(method, path, {}, bob)), "404 Glossary not found");
  EXPECT_EQ(ask("DELETE", path + "/entries").status, 404);
  EXPECT_EQ(ask("DELETE", path).status, 204);
  EXPECT_EQ(ask("DELETE", path).status, 404);
  EXPECT_EQ(ask("GET", path + "/entries").status, 404);
  EXPECT_EQ(server->get("/v2/glossary-language-pairs").json()["supported_languages"][0],
            Json({{"source_lang", "en"}, {"target_lang", "de"}}));
}

TEST_F(Glossaries, AreHonoredInTranslations) {
  const std::string id = ask("POST", "/v2/glossaries", terms()).json()["glossary_id"];
  const auto translate = [&](const Json& more, const std::string& key = kAlice) {
    Json body{{"text", {"a dog"}}, {"target_lang", "DE"}, {"glossary_id", id}};
    body.update(more);
    return ask("POST", "/v2/translate", body, key);
  };
  for (const Json& more : {Json{{"source_lang", "EN"}}, Json{{"source_lang", "en-GB"}, {"tag_handling", "html"}}}) {
    const Json answer = translate(more).json();
    const std::string text = answer["translations"][0]["text"];
    if (text.find("red") == text.npos && text.find("Red") == text.npos) {
      EXPECT_EQ(answer["warnings"].size(), 1u) << answer;
    }
  }
  EXPECT_THAT(message(translate(Json::object())), HasSubstr("400 source_lang is missing"));
  EXPECT_THAT(message(translate({{"source_lang", "DE"}})), HasSubstr("400 source_lang and target_lang must match"));
  EXPECT_THAT(message(translate({{"source_lang", "EN"}, {"glossary_id", "x"}})), HasSubstr("404 Glossary not found"));
  EXPECT_THAT(message(translate({{"source_lang", "EN"}}, "Authorization: DeepL-Auth-Key bob\r\n")), HasSubstr("404"));
  EXPECT_THAT(message(translate({{"source_lang", "EN"}, {"glossary_ids", {id}}})), HasSubstr("400 glossary_ids"));
  Json pivot = terms();
  pivot["target_lang"] = "FR";
  const std::string far = ask("POST", "/v2/glossaries", pivot).json()["glossary_id"];
  EXPECT_THAT(message(translate({{"source_lang", "EN"}, {"target_lang", "FR"}, {"glossary_id", far}})),
              HasSubstr("400 a glossary is for one model"));
}

TEST_F(Glossaries, ThatAreNoneAreRefused) {
  const auto answer = [&](const Json& more) {
    Json body = terms();
    body.update(more);
    return message(ask("POST", "/v2/glossaries", body));
  };
  EXPECT_THAT(answer({{"entries_format", "xml"}}), HasSubstr("400 Value for 'entries_format'"));
  EXPECT_THAT(answer({{"entries", ""}}), HasSubstr("400 entries is missing"));
  EXPECT_THAT(answer({{"entries", "\n\n"}}), HasSubstr("400 entries is missing"));
  EXPECT_THAT(answer({{"entries", "a\tb\nA\tc"}}), HasSubstr("400 glossary, entry 2: 'A'"));
  EXPECT_THAT(answer({{"entries", "cat\ttwo\ndog\t\u4e2d|\u4e2d\u56fd"}}),
              HasSubstr("400 glossary, entry 2: 'dog' as '\u4e2d'"));
  EXPECT_THAT(answer({{"entries", "dog\t\u4e2d|red"}}), StartsWith("201")) << "one of the forms is enough";
  EXPECT_THAT(answer({{"entries", "dog"}, {"entries_format", "csv"}}), HasSubstr("400 entries, line 1"));
  EXPECT_THAT(answer({{"entries", {"a"}}}), HasSubstr("400"));
  EXPECT_THAT(answer({{"name", ""}}), HasSubstr("400 name is missing"));
  EXPECT_THAT(answer({{"name", std::string(1025, 'a')}}), HasSubstr("400 name is longer"));
  EXPECT_THAT(answer({{"source_lang", "x"}}), HasSubstr("400 Value for 'source_lang'"));
}

}  // namespace
}  // namespace hexapla::serve
