#include "decode/constraints/glossary.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "data/files/test_files.h"
#include "decode/constraints/test_constraints.h"
#include "text/lines/letter_case.h"

namespace hexapla::decode {
namespace {
using namespace test;  // the tests' shared names
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Pairs = std::vector<Glossary::Pair>;

using ConstraintsTest = WithTranslator;

std::vector<std::string> found(const Pairs& pairs, const std::string& text) {
  const Glossary glossary(pairs);
  std::vector<std::string> sources;
  for (const Glossary::Term* term : glossary.terms_in(text, 100)) sources.push_back(term->source);
  return sources;
}

TEST(Glossary, TermsAreWholeWordsInAnyCase) {
  const Pairs pairs{{"dog", "Hund"}, {"hot dog", "Hotdog"}, {"Straße", "street"}, {"Éclair", "éclair"}};
  EXPECT_THAT(found(pairs, "A DOG, a Dog's dog-house"), ElementsAre("dog", "dog", "dog"));
  EXPECT_THAT(found(pairs, "a hot\u00A0 dog and a dog"), ElementsAre("hot dog", "dog"));
  EXPECT_THAT(found(pairs, "dogs, hotdog, underdog, dog2, dogé"), IsEmpty());
  EXPECT_THAT(found(pairs, "die STRASSE; e\u0301clair"), ElementsAre("Straße", "Éclair"));
  EXPECT_THAT(found(pairs, ""), IsEmpty());
  EXPECT_THAT(found({}, "a dog"), IsEmpty());
}

TEST(Glossary, TheLongestTermCountsAndNoneOverlap) {
  const Pairs pairs{{"a", "1"}, {"a b", "2"}, {"a b c d", "3"}, {"b c", "4"}, {"aa", "5"}};
  EXPECT_THAT(found(pairs, "a b c d"), ElementsAre("a b c d"));
  EXPECT_THAT(found(pairs, "a b c e"), ElementsAre("a b"));
  EXPECT_THAT(found(pairs, "a c b c aa ab"), ElementsAre("a", "b c", "aa"));
}

TEST(Glossary, ScriptsWithoutBlanksHaveTermsAnywhere) {
  EXPECT_THAT(found({{"北京", "Beijing"}, {"北", "north"}}, "我在北京的北边"), ElementsAre("北京", "北"));
  EXPECT_THAT(found({{"สุนัข", "dog"}, {"ส", "x"}}, "สุนัขวิ่ง"), ElementsAre("สุนัข"));
  EXPECT_THAT(found({{"كلب", "dog"}}, "هذا كلب، وكلب"), ElementsAre("كلب"));
  EXPECT_THAT(found({{"ＡＢＣ", "abc"}}, "在abc里"), ElementsAre("ＡＢＣ"));
}

TEST(Glossary, OnlySoManyAreLookedFor) { EXPECT_EQ(Glossary(Pairs{{"a", "b"}}).terms_in("a a a a", 3).size(), 3u); }

TEST(Glossary, FormsStandBetweenBars) {
  const Pairs pairs{{" dog ", " Hund | Hunde|Hund"}};
  const Glossary glossary(pairs);
  const auto terms = glossary.terms_in("dog", 1);
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(terms[0]->source, "dog");
  EXPECT_THAT(terms[0]->forms, ElementsAre("Hund", "Hunde"));
}

class GlossaryFile : public data::TestFiles {
 protected:
  std::string error_of(const std::string& text) const {
    return data::message_of<DataError>([&] { Glossary::read(write("terms.tsv", text)); });
  }
};

TEST_F(GlossaryFile, IsReadLineByLine) {
  EXPECT_EQ(error_of("\xEF\xBB\xBF"
                     "dog\tHund\r\n\r\ncat\tKatze|Katzen"),
            "(no such error was thrown)");
  EXPECT_THAT(error_of("dog\tHund\ncat\n"), HasSubstr(":2: it has 0 tabs"));
  EXPECT_THAT(error_of("dog\tHund\tHunde\n"), HasSubstr(":1: it has 2 tabs"));
  EXPECT_THAT(error_of("dog\tHund\n\nDOG\tHunde\n"), HasSubstr(":3: 'DOG' is also the term of line 1"));
  EXPECT_THAT(error_of("\u00AD\tHund\n"), HasSubstr(":1: its source term is empty"));
  EXPECT_THAT(error_of("dog\t \n"), HasSubstr(":1: the translation of 'dog'"));
  EXPECT_THAT(error_of("dog\tHund||Hunde\n"), HasSubstr(":1: the translation of 'dog', or one of its forms"));
  EXPECT_THAT(error_of("dog\tH\xFCnd\n"), HasSubstr(":1: it is not UTF-8"));
  EXPECT_THAT(error_of("dog\t" + std::string(1025, 'x')), HasSubstr(":1: a term of 1025 bytes"));
  EXPECT_THAT(error_of(" \n\n"), HasSubstr("has no term"));
  std::string forms = "dog\t0";
  for (int i = 1; i < 33; ++i) forms += "|" + std::to_string(i);
  EXPECT_THAT(error_of(forms), HasSubstr("33 forms"));
}

TEST(Glossary, PairsAreCheckedAlike) {
  try {
    Glossary(Pairs{{"dog", "Hund"}, {"Dog", "Hunde"}});
    ADD_FAILURE();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("entry 2: 'Dog' is also the term of entry 1"));
  }
}

// ---- searches ----

struct TermsTest : ConstraintsTest {};

// Each sentence of a line has its terms, as often as they occur.
TEST_F(TermsTest, TermsOfAGlossaryAreTranslatedEachTime) {
  const std::vector<Glossary::Pair> pairs{{"hund", "die Katze|Katzen"}, {"zwei katzen", "schnell"}, {"katzen", "zwei"}};
  options_.everywhere.glossary = std::make_shared<const Glossary>(pairs);
  std::vector<std::string> lines = phrase_lines(300, 6);
  for (size_t i = 0; i + 1 < lines.size(); i += 2) lines[i] += ". " + lines[i + 1];
  options_.parting.sentences = Sentences::split;
  const auto times = [](const std::string& text, std::initializer_list<const char*> forms) {
    std::vector<Requirement> wanted;
    std::vector<Phrase> phrases;
    for (const char* form : forms)
      for (const std::string& one : {std::string(form), text::capitalized(form)}) phrases.push_back({one, {}});
    do wanted.push_back(any_of(phrases, true));
    while (places(wanted, text).size() == wanted.size());
    return wanted.size() - 1;
  };
  const auto found = texts({lines}, options_);
  size_t all = 0, doubles = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t dogs = times(lines[i], {"Hund"}), two = times(lines[i], {"zwei Katzen"}),
                 cats = times(lines[i], {"Katzen"}) - two;
    EXPECT_GE(times(found[i], {"die Katze", "Katzen"}), dogs) << lines[i] << " -> " << found[i];
    EXPECT_GE(times(found[i], {"schnell"}), two) << lines[i] << " -> " << found[i];
    EXPECT_GE(times(found[i], {"zwei"}), cats) << lines[i] << " -> " << found[i];
    all += dogs + two + cats, doubles += dogs > 1;
  }
  EXPECT_GT(all, 200u);
  EXPECT_GT(doubles, 20u);
  EXPECT_EQ(warnings_, 0);
  options_.search.sampling = SamplingOptions{};
  EXPECT_THROW(texts({lines}, options_), UsageError);
}

TEST_F(TermsTest, LinesMayHaveGlossariesOfTheirOwn) {
  const auto of = [](const char* target) {
    return LineConstraints{.glossary = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"hund", target}})};
  };
  const std::vector<std::string> lines{"ein Hund", "ein Hund", "ein Hund", "ein Hund"};
  const std::vector<LineConstraints> requests{of("schnell"), {}, of("Katze"), of("Ж")};
  const auto found = texts({lines, requests}, options_);
  EXPECT_TRUE(has(found[0], "schnell") || has(found[0], "Schnell")) << found[0];
  EXPECT_EQ(found[1], texts({lines}, options_)[1]);
  EXPECT_TRUE(has(found[2], "Katze")) << found[2];
  EXPECT_EQ(found[3], found[1]) << "what cannot be written is left out";
  texts({lines, requests}, options_);
  EXPECT_EQ(warnings_, 1);
  options_.search.sampling = SamplingOptions{};
  EXPECT_THROW(texts({lines, requests}, options_), LineError);
}

TEST_F(TermsTest, ASentenceHasOnlySoManyTerms) {
  options_.everywhere.glossary = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"ein", "und"}});
  std::string line;
  for (int i = 0; i < 70; ++i) line += "ein ";
  options_.search.extra_length = 0;
  EXPECT_FALSE(texts({std::vector{line}}, options_)[0].empty());
  EXPECT_EQ(warnings_, 1);
}

}  // namespace
}  // namespace hexapla::decode
