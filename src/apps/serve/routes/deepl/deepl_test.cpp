// Tests of the parameters of DeepL's API.
#include "serve/languages/languages.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;
using testing::StartsWith;

struct Deepl : WithService {
  static Json ask(const std::string& text, const Json& more) {
    Json body{{"text", {text}}, {"target_lang", "DE"}, {"source_lang", "EN"}};
    body.update(more);
    return server->post("/v2/translate", body).json();
  }
  static std::string translated(const std::string& text, const Json& more = Json::object()) {
    const Json j = ask(text, more);
    return j.contains("translations") ? j["translations"][0]["text"].get<std::string>() : j.value("message", "");
  }
  static std::string xml(const std::string& text, Json more = Json::object()) {
    more["tag_handling"] = "xml";
    return translated(text, more);
  }
};

TEST_F(Deepl, TagsOfXmlAreInlineBesideText) {
  const std::string dog = translated("a dog runs"), cat = translated("a cat");
  const auto without_tags = [](std::string text) {
    for (const std::string tag : {"<x>", "</x>", "<y>", "</y>"})
      if (const std::size_t at = text.find(tag); at < text.size()) text.erase(at, tag.size());
    return text;
  };
  EXPECT_EQ(without_tags(xml("a <x>dog</x> runs")), dog) << "one sentence";
  EXPECT_EQ(xml("<p>a dog runs</p>\n<p>a cat</p>"), "<p>" + dog + "</p>\n<p>" + cat + "</p>");
  EXPECT_EQ(xml("a dog runs<x/>a cat", {{"splitting_tags", {"x"}}}), dog + "<x/>" + cat);
  EXPECT_EQ(xml("<a>a dog runs</a><b>a cat</b>", {{"outline_detection", false}, {"splitting_tags", "b, a"}}),
            "<a>" + dog + "</a><b>" + cat + "</b>");
  EXPECT_EQ(without_tags(xml("<x>a dog</x> <y>runs</y>", {{"non_splitting_tags", {"x", "y"}}})), dog);
}

TEST_F(Deepl, IgnoredTagsKeepTheirContent) {
  for (const char* tags : {"xml", "html"}) {
    const std::string text = translated("We visited <keep>Green &amp; Park</keep> today.",
                                        {{"tag_handling", tags}, {"ignore_tags", {"x", "keep"}}});
    EXPECT_THAT(text, HasSubstr("<keep>Green &amp; Park</keep>"));
  }
  EXPECT_THAT(
      server
          ->ask("POST", "/v2/translate",
                "text=a+%3Ckeep%3EPark%3C/keep%3E&tag_handling=xml&ignore_tags=x,keep&source_lang=EN&target_lang=DE",
                "application/x-www-form-urlencoded")
          .body,
      HasSubstr("<keep>Park</keep>"));
}

TEST_F(Deepl, FindsTheLanguageOfTheTextAndNotOfItsTags) {
  ServiceOptions o = small_service();
  o.models = {{model_file(), "en", "fr"}, {model_file(), "de", "fr"}, {model_file(), "zh-Hans", "fr"}};
  RunningService many(o);
  const std::string tags = "<span class=\"the name of the thing that we have seen\" title=\"this is what you read\">";
  for (const auto& [text, language] :
       {std::pair{"一只狗在跑", "ZH-HANS"}, {"Der Hund läuft schnell über die Wiese", "DE"}})
    for (const char* kind : {"html", "xml"}) {
      std::string page = text;
      for (int i = 0; i < 20; ++i) page = tags + page + "</span>";
      const Json j =
          many.post("/v2/translate", {{"text", {page}}, {"target_lang", "FR"}, {"tag_handling", kind}}).json();
      EXPECT_EQ(j["translations"][0]["detected_source_language"], language) << j;
      const Json libre =
          many.post("/translate", {{"q", page}, {"source", "auto"}, {"target", "fr"}, {"format", "html"}}).json();
      EXPECT_EQ(code_in_capitals(libre["detectedLanguage"]["language"]), language) << libre;
    }
}

TEST_F(Deepl, NestsTagsOnlySoDeeply) {
  const auto nested = [](const std::string& tag) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += "<" + tag + ">";
    text += "a dog";
    for (int i = 0; i < 100'000; ++i) text += "</" + tag + ">";
    return text;
  };
  const std::string text = nested("b");
  for (const char* kind : {"html", "xml"}) {
    const Received r = server->post("/v2/translate", {{"text", {text}}, {"target_lang", "DE"}, {"tag_handling", kind}});
    EXPECT_EQ(r.status, 400);
    EXPECT_THAT(r.json()["message"], testing::ContainsRegex("1000.*nest|nest.*1000")) << r.body;
  }
  for (const Json& more : {Json{{"format", "html"}}, Json{{"format", "html"}, {"source", "auto"}}}) {
    Json body{{"q", text}, {"source", "en"}, {"target", "de"}};
    body.update(more);
    const Received r = server->post("/translate", body);
    EXPECT_EQ(r.status, 400);
    EXPECT_THAT(error(r), HasSubstr("at most 1000 may be nested"));
  }
}

TEST_F(Deepl, SaysWhereXmlIsWrong) {
  EXPECT_THAT(xml("a <b>dog"), StartsWith("Tag handling parsing failed, please check input. text 1, line 1, column "));
  const Received r = server->post(
      "/v2/translate", {{"text", {"<b>a dog</b>", "<p>\na & b</p>"}}, {"target_lang", "DE"}, {"tag_handling", "xml"}});
  EXPECT_EQ(r.status, 400);
  EXPECT_THAT(r.json()["message"], HasSubstr("text 2, line 2, column 4: "));
  EXPECT_THAT(xml("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), HasSubstr("declares the entity b"));
}

TEST_F(Deepl, OptionsThatItHasAreReadAsItDoes) {
  const std::string dog = translated("a dog");
  for (const Json& more : std::vector<Json>{{{"preserve_formatting", true}},
                                            {{"preserve_formatting", "0"}},
                                            {{"context", "about animals"}},
                                            {{"model_type", "latency_optimized"}},
                                            {{"tag_handling", nullptr}, {"ignore_tags", Json::array()}},
                                            {{"outline_detection", true}},
                                            {{"style_id", ""}, {"custom_instructions", nullptr}},
                                            {{"enable_beta_languages", true}},
                                            {{"tag_handling_version", "v2"}, {"tag_handling", "xml"}}})
    EXPECT_EQ(translated("a dog", more), dog) << more;
  EXPECT_EQ(ask("狗", {{"show_billed_characters", true}})["translations"][0]["billed_characters"], 1);
  EXPECT_FALSE(ask("a dog", {{"show_billed_characters", false}})["translations"][0].contains("billed_characters"));
  EXPECT_EQ(ask("a dog", {{"model_type", "prefer_quality_optimized"}})["translations"][0]["model_type_used"],
            "quality_optimized");
  EXPECT_FALSE(ask("a dog", Json::object())["translations"][0].contains("model_type_used"));
}

TEST_F(Deepl, WhatWouldBeInVainIsRefused) {
  for (const auto& [more, message] : std::vector<std::pair<Json, std::string>>{
           {{{"preserve_formatting", "maybe"}}, "Value for 'preserve_formatting' not supported."},
           {{{"model_type", "best"}}, "Value for 'model_type' not supported."},
           {{{"tag_handling", "sgml"}}, "Value for 'tag_handling' not supported."},
           {{{"tag_handling_version", "v3"}}, "Value for 'tag_handling_version' not supported."},
           {{{"formality", "prefer_nothing"}}, "Value for 'formality' not supported."},
           {{{"formality", "less"}}, "'formality' is not supported for given 'target_lang'."},
           {{{"style_id", "x"}}, "Parameter 'style_id' is not supported"},
           {{{"custom_instructions", {"be kind"}}}, "Parameter 'custom_instructions' is not supported"},
           {{{"translation_memory_threshold", 75}}, "Parameter 'translation_memory_threshold' is not supported"},
           {{{"ignore_tags", {"x"}}}, "need tag_handling"},
           {{{"outline_detection", false}}, "need tag_handling"},
           {{{"tag_handling", "xml"}, {"ignore_tags", {1}}}, "ignore_tags must be a list of names of tags"},
           {{{"tag_handling", "xml"}, {"splitting_tags", "a,b"}, {"non_splitting_tags", {"b"}}}, "both have b"}}) {
    const Json j = ask("a dog", more);
    EXPECT_THAT(j.value("message", ""), HasSubstr(message)) << more << j;
  }
  EXPECT_EQ(server->ask("GET", "/v2/languages?type=x", "", "", "Content-Type: application/json\r\n").json()["message"],
            "Value for 'type' not supported.")
      << "a type of content without any says nothing";
}

}  // namespace
}  // namespace hexapla::serve
