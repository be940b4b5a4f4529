// Tests of documents in the public Translator.
#include <gmock/gmock.h>

#include "base/error.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "lib/translate/document.h"

namespace hexapla {
namespace {

using testing::HasSubstr;

struct Documents : testing::Test {
  const Translator translator{api::test::model_file()};
  static TranslatorOptions short_options() {
    TranslatorOptions options;
    options.extra_length = 5;
    return options;
  }
  std::string line(const std::string& text) const { return translator.translate(text, short_options()); }
  std::string document(const std::string& content, const std::string& name = "a.html") const {
    return translator.translate_document(content, name, short_options());
  }
  static std::string without(std::string text, std::initializer_list<const char*> parts) {
    for (const std::string part : parts)
      for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
    return text;
  }
};

TEST_F(Documents, AreTranslatedLineByLine) {
  EXPECT_EQ(document("a dog\r\n\r\n  \ntwo cats", "A.TXT"), line("a dog") + "\r\n\r\n  \n" + line("two cats"));
  EXPECT_EQ(document("<p class=x>a dog</p><!-- a dog -->\n"), "<p class=x>" + line("a dog") + "</p><!-- a dog -->\n");
  EXPECT_EQ(document(""), "");
}

TEST_F(Documents, MarkupIsThereOnce) {
  const std::string found = document("<p>a <b>big <i>old</i></b> dog <img src=x> runs</p>");
  for (const char* tag : {"<b>", "</b>", "<i>", "</i>", "<img src=x>"}) {
    EXPECT_THAT(found, HasSubstr(tag));
    EXPECT_EQ(found.find(tag), found.rfind(tag)) << found;
  }
  const auto no_blanks = [](const std::string& text) { return without(text, {" "}); };
  EXPECT_EQ(no_blanks(without(found, {"<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<img src=x>"})),
            no_blanks(line("a big old dog runs")));
}

TEST_F(Documents, KeepNoTokens) {
  struct Kept : text::document::Document {
    Kept() { add_line("a dog", false), add_line("two cats", true); }
    std::string joined(std::size_t, const Lines& found, std::size_t) const override {
      std::string all;
      for (const std::vector<Translation>& line : found)
        for (const Translation& t : line)
          all += cat(t.text, ':', t.tokens.capacity() + t.ids.capacity() + t.token_scores.capacity(), '\n');
      return all;
    }
    std::size_t ranks(std::size_t, const Lines&) const override { return 1; }
  };
  EXPECT_EQ(api::translated(translator, Kept(), short_options()), line("a dog") + ":0\n" + line("two cats") + ":0\n");
}

TEST_F(Documents, WarningsNameTheLine) {
  TranslatorOptions options = short_options();
  std::vector<std::size_t> warned;
  options.max_length = 8;
  options.warn = [&](std::size_t at, const std::string&) { warned.push_back(at); };
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "dogs and cats ";
  translator.translate_document("<p>a <b>dog</b><p>a cat<p>" + long_text + "<p>" + long_text + "<b>a</b>", "a.html",
                                options);
  EXPECT_THAT(warned, testing::UnorderedElementsAre(3, 4));
}

TEST_F(Documents, OfMultilingualModelsAreInTheirLanguage) {
  const auto told = [](const std::string& file, const std::string& source, const std::string& target) {
    ModelOptions how;
    how.source_language = source, how.target_language = target;
    return Translator(file, how);
  };
  const std::string many = api::test::multilingual_file();
  const Translator usual(many);
  const auto document = [&](const std::string& source, const std::string& target) {
    return told(many, source, target).translate_document("<p>a dog</p>\n<p>two cats", "a.html", short_options());
  };
  const auto line = [&](const std::string& text) { return usual.translate(">>fr_XX<<" + text, short_options()); };
  EXPECT_EQ(document("", "fr_XX"), "<p>" + line("a dog") + "</p>\n<p>" + line("two cats"));
  EXPECT_NE(document("", "fr_XX"), document("", "de"));
  EXPECT_EQ(told(many, "fr_XX", "").tokens("a dog").front(), ">>fr_XX<<");
  EXPECT_THROW(told(many, "", "xx"), UsageError);

  const text::Vocabulary joint = api::test::vocabulary_of_languages("");
  const std::string before_source = api::test::save_random(joint, joint, "before");
  EXPECT_EQ(told(before_source, "", "fr_XX").tokens("a dog").front(), ">>fr_XX<<");
  EXPECT_THROW(told(before_source, "", "xx"), UsageError);
  EXPECT_THROW(told(before_source, "fr_XX", ""), UsageError) << "nobody tells it what the source is in";
  EXPECT_THROW(told(api::test::model_file(), "", "de"), UsageError);
}

TEST_F(Documents, SayWhatIsWrong) {
  EXPECT_THAT(document_formats(), testing::IsSupersetOf({".txt", ".html", ".srt", ".vtt"}));
  try {
    document("x", "a.xyz");
    ADD_FAILURE();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("a.xyz"), HasSubstr(".html")));
  }
  EXPECT_THROW(document("\xFF", "a.txt"), DataError);
  TranslatorOptions options;
  options.n_best = 2;
  EXPECT_THROW(translator.translate_document("a", "a.txt", options), UsageError);
}

}  // namespace
}  // namespace hexapla
