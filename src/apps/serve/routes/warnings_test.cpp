// Every route that passes text to a model says of which lines it lacks letters, or cut them.
#include <gmock/gmock.h>

#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;

const std::string kChinese = "一个男人", kLacks = "the vocabulary lacks 4 of 4 letters";

struct WarningRoutes : WithService {
  static Json warnings(const std::string& route, Json body) {
    const Received r = server->post(route, body);
    EXPECT_EQ(r.status, 200) << r.body;
    return r.json().value("warnings", Json());
  }
  static Json sent_file(const std::string& content) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const std::string body = part + "\"file\"; filename=\"a.txt\"\r\n\r\n" + content + "\r\n" + part +
                             "source\r\n\r\nen\r\n" + part + "target\r\n\r\nde\r\n--b--\r\n";
    return server->ask("POST", "/translate_file", body, "multipart/form-data; boundary=b").json();
  }
  static Json sent_document(const std::string& content) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const std::string body = part + "\"file\"; filename=\"a.txt\"\r\n\r\n" + content + "\r\n" + part +
                             "source_lang\r\n\r\nEN\r\n" + part + "target_lang\r\n\r\nDE\r\n--b--\r\n";
    const Json sent = server->ask("POST", "/v2/document", body, "multipart/form-data; boundary=b").json();
    for (int i = 0; i < 1000; ++i, usleep(10'000)) {
      const Json state = server
                             ->post("/v2/document/" + sent.value("document_id", ""),
                                    {{"document_key", sent.value("document_key", "")}})
                             .json();
      if (state.value("status", "") != "translating") return state;
    }
    return {};
  }
};

TEST_F(WarningRoutes, OfLinesNameTheirNumbersFromOne) {
  const Json body{{"q", {"a dog", "", kChinese}}, {"source", "en"}, {"target", "de"}};
  const Json said = warnings("/v1/translate", body);
  ASSERT_EQ(said.size(), 1u) << said;
  EXPECT_EQ(said[0]["line"], 3);
  EXPECT_THAT(said[0]["what"], HasSubstr(kLacks));
  const Json score = warnings("/v1/score", {{"q", kChinese}, {"t", "a"}, {"source", "en"}, {"target", "de"}});
  ASSERT_EQ(score.size(), 1u) << score;
  EXPECT_EQ(score[0]["line"], 1);
  std::string streamed =
      server->post("/v1/translate/stream", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).body;
  EXPECT_THAT(streamed, HasSubstr("data: {\"line\":1,\"text\""));
}

TEST_F(WarningRoutes, OfTextsNameTheirBeginnings) {
  const Json to_libre{{"source", "en"}, {"target", "de"}}, to_deepl{{"source_lang", "EN"}, {"target_lang", "DE"}};
  for (const std::string& text : {kChinese, "<p>" + kChinese + "</p>"}) {
    Json libre = to_libre, deepl = to_deepl;
    libre.update({{"q", {"a dog", text}}}), deepl.update({{"text", {"a dog", text}}});
    if (text != kChinese) libre["format"] = deepl["tag_handling"] = "html";
    for (const auto& [route, body] : {std::pair("/translate", libre), std::pair("/v2/translate", deepl)}) {
      const Json said = warnings(route, body);
      ASSERT_EQ(said.size(), 1u) << route << said;
      EXPECT_EQ(said[0]["text"], kChinese) << route;
      EXPECT_THAT(said[0]["what"], HasSubstr(kLacks));
    }
  }
  for (const Json& state : {sent_file("a dog\n" + kChinese), sent_document("a dog\n" + kChinese)}) {
    const Json said = state.value("warnings", Json());
    ASSERT_EQ(said.size(), 1u) << state;
    EXPECT_EQ(said[0]["text"], kChinese);
  }
}

TEST_F(WarningRoutes, AreLeftOutWhereThereAreNone) {
  EXPECT_TRUE(warnings("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).is_null());
  EXPECT_TRUE(warnings("/v2/translate", {{"text", {"a dog"}}, {"source_lang", "EN"}, {"target_lang", "DE"}}).is_null());
  EXPECT_FALSE(sent_file("a dog").contains("warnings"));
  EXPECT_FALSE(sent_document("a dog").contains("warnings"));
}

TEST_F(WarningRoutes, OfALongLineSayThatItWasDivided) {
  std::string longer = "a dog";
  for (int i = 0; i < 300; ++i) longer += " a dog";
  const Json said = warnings("/translate", {{"q", longer}, {"source", "en"}, {"target", "de"}});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0]["what"], HasSubstr("parts"));
  EXPECT_EQ(said[0]["text"], longer.substr(0, 40) + "..");
}

TEST_F(WarningRoutes, AreAThousandAtMost) {
  Warnings some;
  for (int i = 1; i <= 1002; ++i) some.add({{"line", i}}, "cut");
  Json answer;
  some.put_into(answer);
  ASSERT_EQ(answer["warnings"].size(), 1001u);
  EXPECT_EQ(answer["warnings"][1000], Json({{"what", "2 more warnings like these"}}));
}

// The description names what a route takes: a trace is narrower than a search.
TEST_F(WarningRoutes, TheWidestBeamOfATraceIsDescribed) {
  const Json most = server->get("/spec").json().value(
      "/paths/~1v1~1trace/post/requestBody/content/application~1json/schema/properties/options/properties/beam_size/maximum"_json_pointer,
      Json());
  Json body{{"q", "a dog"}, {"model", "en-de"}, {"options", {{"beam_size", most}, {"extra_length", 1}}}};
  EXPECT_EQ(server->post("/v1/trace", body).status, 200);
  body["options"]["beam_size"] = most.get<int>() + 1;
  EXPECT_EQ(server->post("/v1/trace", body).status, 400);
}

}  // namespace
}  // namespace hexapla::serve
