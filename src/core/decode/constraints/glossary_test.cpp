#include "decode/constraints/glossary.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "data/files/test_files.h"
#include "decode/constraints/test_constraints.h"
#include "decode/text/put_terms.h"
#include "text/characters.h"
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
  for (const auto& [term, place] : glossary.terms_in(text, 100)) {
    EXPECT_EQ(text::folded(text.substr(place.from, place.to - place.from)), text::folded(term->source)) << text;
    sources.push_back(term->source);
  }
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
  EXPECT_EQ(terms[0].term->source, "dog");
  EXPECT_THAT(terms[0].term->forms, ElementsAre("Hund", "Hunde"));
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

// ---- terms in translations ----

// A pair of made-up sentences, aligned as said.
class PutTermsTest : public testing::Test {
 protected:
  using Links = std::vector<std::pair<std::string, int>>;  // a part of the translation, and its word of the source

  PutTermsTest() {
    model::Config c = small_config();
    c.source_vocab = c.target_vocab = v_.size();
    c.tied = "none";
    m_ = std::make_unique<TestModel>(c);
    sides_ = std::make_unique<TextSides>(Ensemble{.models = {&m_->model}}, v_, v_);
  }
  Translation put(const std::string& source, const std::string& translation, const Links& links, const Pairs& pairs) {
    Translation t{.text = translation, .ids = v_.encode(translation)};
    if (constraints_.capitals) {
      t.ids = v_.encode(text::lowered(translation));
      t.spans = v_.spans_in(t.ids);
    }
    std::vector<text::Ids> ids{v_.encode(source)};
    v_.end_source(ids[0]);
    const std::vector<std::string> texts{source};
    std::vector<SentenceConstraints> constraints{constraints_};
    const std::vector<std::shared_ptr<const text::ProtectedText>> hidden(1);
    ConstraintMaker maker(v_, *sides_->pieces, {});
    maker.add_terms({.glossary = std::make_shared<const Glossary>(pairs)}, source, constraints[0], [](const auto&) {});
    Translation after = t;
    put_terms(*sides_, {ids, texts, constraints, hidden}, {{0, after.ids, after.text, after.spans, after.missed_terms}},
              [&](auto, auto, const SeeAlignment& see) { see(0, soft(source, translation, t, links)); });
    return after;
  }
  std::string text(const std::string& source, const std::string& translation, const Links& links, const Pairs& pairs) {
    return put(source, translation, links, pairs).text;
  }
  SoftAlignment soft(const std::string& source, const std::string& translation, const Translation& t,
                     const Links& links) const {
    const auto from = v_.encode_with_spans(source).spans, to = v_.spans_in(t.ids);
    const auto words = text::words_of_tokens(source, from);
    SoftAlignment a{std::ssize(to) + 1, std::ssize(from) + 1, {}};
    a.weights.resize(static_cast<size_t>(a.rows * a.columns), 0.01);
    size_t at = 0;
    for (const auto& [part, word] : links) {
      at = translation.find(part, at);
      for (size_t row = 0; row < to.size(); ++row)
        for (size_t column = 0; column < from.size(); ++column)
          if (to[row].from < at + part.size() && at < to[row].to && words[column].first == word)
            a.weights[row * from.size() + row + column] = 0.8;
      at += part.size();
    }
    return a;
  }

  const text::Vocabulary v_ = text::Vocabulary::train(
      std::vector<std::string>{"a dog, two dogs run. the fire truck stops! a hot dog is here - people men",
                               "um cão, dois cães correm. o caminhão de bombeiros para! cachorro-quente aqui as",
                               "canídeo canídeos autobomba Cães Canídeos pessoas homens corre Um"},
      {.size = 70});
  std::unique_ptr<TestModel> m_;
  std::unique_ptr<TextSides> sides_;
  SentenceConstraints constraints_;
};

const Pairs kDog{{"dog", "canídeo"}, {"dogs", "canídeo|canídeos"}};

TEST_F(PutTermsTest, ReplaceTheWordsThatAreAlignedWithThem) {
  EXPECT_EQ(text("a dog runs", "um cão corre", {{"um", 0}, {"cão", 1}, {"corre", 2}}, kDog), "um canídeo corre");
  EXPECT_EQ(text("a dog, a dog!", "um cão, um cão!", {{"um", 0}, {"cão", 1}, {"um", 2}, {"cão", 3}}, kDog),
            "um canídeo, um canídeo!");
  EXPECT_EQ(text("the fire truck stops", "o caminhão de bombeiros para",
                 {{"o", 0}, {"caminhão", 2}, {"de", 1}, {"bombeiros", 1}, {"para", 3}}, {{"fire truck", "autobomba"}}),
            "o autobomba para");
}

TEST_F(PutTermsTest, FollowTheWordsThatTheyReplace) {
  EXPECT_EQ(text("dogs run", "Cães correm.", {{"Cães", 0}, {"correm", 1}}, kDog), "Canídeos correm.")
      << "capital, plural";
  EXPECT_EQ(text("a dog", "Um cão", {{"Um", 0}, {"cão", 1}}, kDog), "Um canídeo");
  constraints_.capitals = true;
  EXPECT_EQ(text("a dog runs", "UM CÃO CORRE", {{"UM", 0}, {"CÃO", 1}, {"CORRE", 2}}, kDog), "UM CANÍDEO CORRE");
}

TEST_F(PutTermsTest, AreMissedWhereNoWordIsTheirs) {
  const auto missed = [&](const std::string& source, const std::string& translation, const Links& links) {
    const Translation t = put(source, translation, links, kDog);
    EXPECT_EQ(t.text, translation);
    return t.missed_terms;
  };
  EXPECT_THAT(missed("a dog runs", "um corre", {{"um", 0}, {"corre", 2}}), ElementsAre("dog"));
  EXPECT_THAT(missed("a hot dog", "um cachorro-quente", {{"um", 0}, {"cachorro", 2}, {"quente", 1}}),
              ElementsAre("dog"))
      << "part of a word";
  constraints_.prefix = "um cão";
  EXPECT_THAT(missed("a dog runs", "um cão corre", {{"um", 0}, {"cão", 1}, {"corre", 2}}), ElementsAre("dog"));
  constraints_.prefix.clear();
  constraints_.forbidden = {{"canídeo", {}}};
  EXPECT_THAT(missed("a dog runs", "um cão corre", {{"um", 0}, {"cão", 1}, {"corre", 2}}), ElementsAre("dog"));
}

TEST_F(PutTermsTest, MayBeThereAlready) {
  for (const Links& links : {Links{{"um", 0}, {"canídeo", 1}, {"corre", 2}}, Links{{"um", 1}, {"canídeo", 0}}}) {
    const Translation t = put("a dog runs", "um canídeo corre", links, kDog);
    EXPECT_EQ(t.text, "um canídeo corre");
    EXPECT_THAT(t.missed_terms, IsEmpty());
  }
  EXPECT_EQ(text("a dog, a dog", "um canídeo, um cão", {{"um", 0}, {"canídeo", 1}, {"um", 2}, {"cão", 3}}, kDog),
            "um canídeo, um canídeo");
}

TEST_F(PutTermsTest, TokensKeepTheirWords) {
  const std::string before = "um cão, um cão!";
  const Translation t = put("a dog, a dog!", before, {{"um", 0}, {"cão", 1}, {"um", 2}, {"cão", 3}}, kDog);
  const std::vector<text::TokenSpan> old = v_.spans_in(t.ids);
  ASSERT_EQ(t.spans.size(), old.size());
  for (size_t i = 0; i < old.size(); ++i) {
    std::string was = before.substr(old[i].from, old[i].to - old[i].from);
    const std::string is = t.text.substr(t.spans[i].from, t.spans[i].to - t.spans[i].from);
    const size_t dog = before.find("cão"), other = before.rfind("cão");
    const auto inside = [&](size_t at) { return old[i].from < at + 4 && at < old[i].to; };
    if (inside(dog) || inside(other))
      EXPECT_THAT(is, HasSubstr("canídeo"));
    else
      EXPECT_EQ(is, was);
  }
}

// ---- searches ----

struct TermsTest : ConstraintsTest {};

// The rule, for any sentence: a term is missed, or it stands in the translation once more than the
// model wrote it; without the terms, the rest is what the model wrote.
TEST_F(TermsTest, ATermStandsInPlaceOfItsWordsOrIsMissed) {
  const std::vector<std::string> lines = phrase_lines(300, 6);
  std::vector<LineConstraints> requests(lines.size());
  for (LineConstraints& r : requests)
    r.glossary = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"hund", "Hundhund"}});
  options_.search.n_best = 2;
  const auto plain = translator_.translate(lines, options_),
             found = translator_.translate(Lines{lines, requests}, options_);
  size_t written = 0, missed = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto terms = requests[i].glossary->terms_in(lines[i], 100).size();
    for (size_t n = 0; n < plain[i].size(); ++n) {
      const std::string &before = plain[i][n].text, &after = found[i][n].text;
      EXPECT_EQ(found[i][n].ids, plain[i][n].ids);
      EXPECT_EQ(found[i][n].score, plain[i][n].score);
      for (const text::TokenSpan& span : found[i][n].spans)
        EXPECT_TRUE(span.from <= span.to && span.to <= after.size());
      if (found[i][n].missed_terms.size() == terms) {
        EXPECT_EQ(after, before);
        missed += terms;
        continue;
      }
      written += terms - found[i][n].missed_terms.size();
      if (terms > 1) continue;
      const size_t at = std::min(after.find("Hundhund"), after.size());
      ASSERT_LT(at, after.size()) << lines[i] << ": " << after;
      const std::string rest = after.substr(at + std::string("Hundhund").size());
      EXPECT_TRUE(before.starts_with(after.substr(0, at)) && before.ends_with(rest)) << before << " / " << after;
      EXPECT_GT(before.size(), at + rest.size()) << "a word was replaced: " << before << " / " << after;
    }
  }
  EXPECT_GT(written, 20u);
  EXPECT_GT(missed, 0u);
}

TEST_F(TermsTest, LinesMayHaveGlossariesOfTheirOwn) {
  const auto of = [](const char* target) {
    return LineConstraints{.glossary = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"hund", target}})};
  };
  const std::vector<std::string> lines{"ein Hund", "ein Hund", "ein Hund", "ein Hund"};
  const std::vector<LineConstraints> requests{of("schnell"), {}, of("Katze"), of("Ж")};
  const auto found = texts({lines, requests}, options_);
  const auto plain = texts({lines}, options_);
  EXPECT_TRUE(has(found[0], "schnell") || has(found[0], "Schnell") || found[0] == plain[0]) << found[0];
  EXPECT_EQ(found[1], plain[1]);
  EXPECT_TRUE(has(found[2], "Katze") || found[2] == plain[2]) << found[2];
  EXPECT_EQ(found[3], found[1]) << "what cannot be written is left out";
  options_.search.sampling = SamplingOptions{};
  EXPECT_NO_THROW(texts({lines, requests}, options_));
}

TEST_F(TermsTest, ASentenceHasOnlySoManyTerms) {
  options_.everywhere.glossary = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"ein", "und"}});
  std::string line;
  for (int i = 0; i < 70; ++i) line += "ein ";
  options_.search.extra_length = 0;
  std::vector<std::string> warnings;
  translator_.translate(std::vector{line}, options_, [&](size_t, const std::string& w) { warnings.push_back(w); });
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("more than 64 terms")));
}

}  // namespace
}  // namespace hexapla::decode
