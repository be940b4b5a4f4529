#include "serve/languages/detect.h"

#include <fstream>
#include <map>

#include "lib/test_models.h"
#include "serve/languages/word_evidence.h"

namespace hexapla::serve {
namespace {

struct Phrase {
  std::string language, text;
};

std::vector<Phrase> phrases() {
  std::ifstream file(source_path("src/apps/serve/languages/fixtures/short_texts.tsv"));
  std::vector<Phrase> all;
  for (std::string line; std::getline(file, line);)
    if (line.front() != '#') all.push_back({line.substr(0, line.find('\t')), line.substr(line.find('\t') + 1)});
  return all;
}

std::vector<std::string> languages_of(const std::vector<Phrase>& all) {
  std::vector<std::string> codes;
  for (const Phrase& p : all)
    if (std::find(codes.begin(), codes.end(), p.language) == codes.end()) codes.push_back(p.language);
  return codes;
}

TEST(DetectLanguage, KnowsPhrasesOfOneToThreeWordsInTenLanguages) {
  const std::vector<Phrase> all = phrases();
  const std::vector<std::string> among = languages_of(all);
  ASSERT_EQ(all.size(), 200u);
  ASSERT_EQ(among.size(), 10u);
  std::map<std::string, int> right;
  std::string wrong;
  for (const Phrase& p : all) {
    const DetectedLanguage found = detect_language(p.text, among).front();
    right[p.language] += found.code == p.language;
    right["all"] += found.code == p.language;
    if (found.code != p.language) wrong += "\n" + p.text + " is " + p.language + ", not " + found.code;
  }
  EXPECT_GE(right["all"], 194) << wrong;
  for (const std::string& language : among) EXPECT_GE(right[language], 18) << language << wrong;
}

TEST(DetectLanguage, DoesNotDependOnCase) {
  const std::vector<Phrase> all = phrases();
  for (const Phrase& p : all) {
    std::string capitals = p.text;
    for (char& c : capitals) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    EXPECT_EQ(words_of(capitals), words_of(p.text));
  }
  EXPECT_EQ(words_of("İmdat! J'ai 2 straßen-x"),
            (std::vector<std::u32string>{U"imdat", U"j", U"ai", U"strassen", U"x"}));
}

TEST(DetectLanguage, GivesProbabilitiesOfAFewWords) {
  const std::vector<Phrase> all = phrases();
  const std::vector<std::string> among = languages_of(all);
  for (const Phrase& p : all) {
    double sum = 0, before = 100;
    for (const DetectedLanguage& d : detect_language(p.text, among)) {
      EXPECT_LE(d.confidence, before) << p.text;
      sum += before = d.confidence;
    }
    EXPECT_NEAR(sum, 100, 5) << p.text;  // they are rounded
  }
}

// Languages without a list of words stay with CLD2, and scripts decide before letters do.
TEST(DetectLanguage, LeavesLanguagesWithoutAListToCld2) {
  const std::vector<std::string> among{"en", "de", "ru", "el", "ja", "zh-Hans", "ko", "ar", "th", "he"};
  for (const auto& [text, code] : {std::pair{"Привет", "ru"},
                                   {"Γειά σου", "el"},
                                   {"こんにちは", "ja"},
                                   {"你好吗", "zh-Hans"},
                                   {"안녕하세요", "ko"},
                                   {"مرحبا", "ar"},
                                   {"สวัสดี", "th"},
                                   {"שלום", "he"},
                                   {"Hello", "en"},
                                   {"Guten Tag", "de"}})
    EXPECT_EQ(detect_language(text, among).front().code, code) << text;
  for (const char* nothing : {"", "123 4!", "😀", "Привет"}) {
    EXPECT_EQ(detect_language(nothing, {"de", "en"}).front().code, "de") << nothing;
    EXPECT_EQ(detect_language(nothing, {"de", "en"}).front().confidence, 0) << nothing;
    EXPECT_EQ(detect_language(nothing, {"de", "en"}, {"en"}).front().code, "en") << nothing;
  }
}

// Both directions of a pair are served: a text is taken for the language that is translated, unless
// it is clearly in the target language already.
TEST(DetectLanguage, PrefersTheLanguageThatIsTranslated) {
  const std::vector<Phrase> all = phrases();
  for (const std::string& other : languages_of(all)) {
    if (other == "en") continue;
    int kept = 0;
    for (const Phrase& p : all) {
      if (p.language == "en") {
        EXPECT_EQ(detect_language(p.text, {"en", other}, {"en"}).front().code, "en") << p.text << " to " << other;
      }
      kept += p.language == other && detect_language(p.text, {"en", other}, {"en"}).front().code == other;
    }
    EXPECT_GE(kept, 18) << other;
    for (const char* shared : {"Hotel", "Radio", "Euro", "Taxi", "Xqzt"})
      EXPECT_EQ(detect_language(shared, {"en", other}, {"en"}).front().code, "en") << shared << " to " << other;
  }
}

}  // namespace
}  // namespace hexapla::serve
