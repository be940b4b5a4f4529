// Sentences in capitals are translated in small letters, and their translations are put into capitals.
#include <gmock/gmock.h>

#include "decode/options/named/decoding_options.h"
#include "decode/test_text.h"
#include "decode/text/text_scorer.h"
#include "text/lines/letter_case.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class CapitalsTest : public testing::Test {
 protected:
  CapitalsTest() {
    m_.set_bias(vocabulary().eos(), -2);  // fewer empty ones
    plain_.parting.sentences = Sentences::split;
    plain_.parting.protection = std::make_shared<const text::Protection>(true, std::vector<std::string>());
    capitals_ = plain_;
    capitals_.parting.capitals = true;
  }
  std::vector<Translation> all(const std::string& line, const TranslateOptions& options,
                               const LineConstraints& asked = {}) const {
    return translator_.translate(Lines{std::vector{line}, std::vector{asked}}, options)[0];
  }
  Translation best(const std::string& line, const TranslateOptions& options, const LineConstraints& asked = {}) const {
    return all(line, options, asked)[0];
  }
  static std::string upper(std::string text) {
    text::make_capitals(text, {});
    return text;
  }

  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TextScorer scorer_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions plain_{.search = {.n_best = 3, .extra_length = 5}}, capitals_;
};

TEST_F(CapitalsTest, LinesAreTranslatedAsSentences) {
  const std::string line = "HUND UND LÄUFT. STRAßE ZWEI UND SCHNELL.",
                    sentences = "Hund und läuft. Straße zwei und schnell.";
  const auto found = all(line, capitals_), expected = all(sentences, plain_);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids);
    EXPECT_EQ(found[i].score, expected[i].score);
    EXPECT_EQ(found[i].text, upper(expected[i].text));
    ASSERT_EQ(found[i].spans.size(), found[i].ids.size());
    for (const text::TokenSpan& span : found[i].spans) EXPECT_LE(span.to, found[i].text.size());
  }
  EXPECT_NE(best(line, plain_).text, found[0].text);
}

TEST_F(CapitalsTest, AllOthersStayAsTheyAre) {
  capitals_.parting.protection = plain_.parting.protection = nullptr;  // of what the vocabulary lacks
  for (const char* line :
       {"EIN hund läuft", "Ein Hund", "HUND", "HUND E", "\u6211 HUND SCHNELL \u5728", "\u0E2A\u0E38 HUND SCHNELL",
        "\u0643\u0644\u0628 HUND SCHNELL", "\u6211\u4EEC\u3002", "", "{0}", "\xFF HUND \xFE"}) {
    const auto found = all(line, capitals_), expected = all(line, plain_);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].text, expected[i].text) << line;
    EXPECT_EQ(found[0].spans, expected[0].spans) << line;
  }
  for (const std::string& line : made_up_lines(50, 3)) EXPECT_EQ(best(line, capitals_).text, best(line, plain_).text);
}

// Where a line has others, a sentence of one word may be a name.
TEST_F(CapitalsTest, EachSentenceIsLookedAt) {
  const std::string small = best("die Straße.", plain_).text, large = best("Hund und schnell!", plain_).text,
                    word = best("HUND.", plain_).text;
  EXPECT_EQ(best("die Straße. HUND UND SCHNELL! HUND.", capitals_).text, small + " " + upper(large) + " " + word);
  EXPECT_EQ(best("HUND UND SCHNELL! HUND.", capitals_).text, upper(large + " " + best("Hund.", plain_).text))
      << "but not where all are in capitals";
  capitals_.parting.sentences = plain_.parting.sentences = Sentences::keep;
  EXPECT_EQ(best("die Straße. HUND UND SCHNELL!", capitals_).text, best("die Straße. HUND UND SCHNELL!", plain_).text);
}

TEST_F(CapitalsTest, ProtectedTextKeepsItsLetters) {
  for (const char* what : {"{name}", "{NAME}", "%1$s", "%1$S", "<x id=\"a\"/>", "https://a.example/b", "HTTP://X.ORG/A",
                           "@you", "me@a.example", "#tag", "`code`", "\U0001F600", "\u6211\u4EEC", "\u0436\u0416"})
    for (const bool first : {true, false}) {
      const std::string before = first ? cat(what, " ") : "", after = first ? "" : cat(" ", what);
      const Translation found = best(cat(before, "HUND UND SCHNELL", after, " LÄUFT."), capitals_),
                        expected = best(cat(before, "Hund und schnell", after, " läuft."), plain_);
      EXPECT_EQ(found.ids, expected.ids) << what;
      ASSERT_EQ(found.protected_spans.size(), 1u) << what;
      const text::TokenSpan at = found.protected_spans[0], other = expected.protected_spans[0];
      EXPECT_EQ(found.text.substr(at.from, at.to - at.from), what) << found.text;
      EXPECT_EQ(found.text.substr(0, at.from), upper(expected.text.substr(0, other.from))) << what;
      EXPECT_EQ(found.text.substr(at.to), upper(expected.text.substr(other.to))) << what;
    }
}

// The vocabulary has no D, U and Z, but their small letters.
TEST_F(CapitalsTest, UnknownAreTheLettersThatAreRead) {
  std::vector<std::string> warnings;
  const std::vector<std::string> lines{"HUND UND ZWEI SCHNELL"};
  const auto found =
      translator_.translate(lines, capitals_, [&](size_t, const std::string& w) { warnings.push_back(w); });
  EXPECT_THAT(found[0][0].protected_spans, IsEmpty());
  EXPECT_THAT(warnings, IsEmpty());
  EXPECT_FALSE(best(lines[0], plain_).protected_spans.empty());
}

TEST_F(CapitalsTest, LongSentencesAreParted) {
  std::string line = "HUND", small = "Hund";
  for (int i = 0; i < 12; ++i) line += " UND SCHNELL {a}", small += " und schnell {a}";
  plain_.max_length = capitals_.max_length = 14;
  plain_.parting.long_input = capitals_.parting.long_input = LongInput::truncate;
  EXPECT_EQ(best(line, capitals_).ids, best(small, plain_).ids);
  const std::vector<std::string> lines{line};
  capitals_.parting.long_input = LongInput::split;
  std::vector<std::string> warnings;
  const Translation parted =
      translator_.translate(lines, capitals_, [&](size_t, const std::string& w) { warnings.push_back(w); })[0][0];
  EXPECT_GT(parted.parts.size(), 1u);
  EXPECT_EQ(parted.protected_spans.size(), 12u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("parts; see `long-input`"));
  capitals_.parting.long_input = LongInput::refuse;
  EXPECT_THROW(translator_.translate(lines, capitals_), LineError);
  std::string seen = "Hund";  // whose tokens are fewer than those of capitals
  for (int i = 0; i < 12; ++i) seen += " und schnell";
  capitals_.max_length = static_cast<int64_t>(vocabulary().encode(seen).size()) + 1;
  EXPECT_NO_THROW(translator_.translate(lines, capitals_));
}

TEST_F(CapitalsTest, WhatIsAskedForKeepsItsLetters) {
  capitals_.search.extra_length = 15;
  const std::string line = "HUND UND {a} SCHNELL";
  for (const Translation& t : all(line, capitals_, {.prefix = "die Hün"})) {
    EXPECT_THAT(t.text, StartsWith("die Hün"));
    std::string rest = t.text.substr(8);
    const size_t at = rest.find("{a}");
    ASSERT_NE(at, rest.npos) << t.text;
    rest.erase(at, 3);
    EXPECT_EQ(rest, upper(rest));
  }
  for (const Translation& t : all(line, capitals_, {.require = {"Straße"}}))
    if (t.whole()) {
      EXPECT_THAT(t.text, HasSubstr("Straße"));
    }
  const auto terms = std::make_shared<const Glossary>(std::vector<Glossary::Pair>{{"Schnell", "Katzen"}});
  const Translation term = best(line, capitals_, {.glossary = terms});
  EXPECT_TRUE(term.text.find("KATZEN") != std::string::npos || term.missed_terms.size() == 1) << term.text;
  EXPECT_EQ(term.text.find("Katzen"), std::string::npos) << "a term is in capitals where the line is";
  EXPECT_EQ(term.protected_spans.size(), 1u);
}

// As it would stand in the end.
TEST_F(CapitalsTest, WhatIsForbiddenIsInNoLetters) {
  const std::string line = "HUND UND SCHNELL";
  const Translation free = best(line, capitals_);
  const std::string word(text::words(free.text)[0]);
  for (const std::string& one : {word, text::lowered(word), text::as_sentence(word)}) {
    const LineConstraints asked{.forbid = {one}};
    for (const Translation& t : all(line, capitals_, asked))
      for (const std::string_view other : text::words(t.text)) EXPECT_NE(other, word) << one << ": " << t.text;
  }
}

TEST_F(CapitalsTest, AlignmentsAreThoseOfTheSmallLetters) {
  const auto align = [&](const std::string& line, const TranslateOptions& options, AlignmentUnit unit) {
    return scorer_.align(std::vector{line}, std::vector{best(line, options)}, options, {{}, unit})[0];
  };
  for (const AlignmentUnit unit : {AlignmentUnit::words, AlignmentUnit::blanks, AlignmentUnit::pieces}) {
    // Other characters have other numbers of bytes in small letters.
    const auto found = align("{a} HUND \u0130 UND. STRA\u1E9EE {b} ZWEI \u0416 UND SCHNELL.", capitals_, unit);
    const auto expected = align("{a} Hund i und. Straße {b} zwei \u0436 und schnell.", plain_, unit);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.weights, expected.weights);
  }
}

TEST_F(CapitalsTest, OptionsSayWhetherItIsDone) {
  DecodingOptions o;
  EXPECT_TRUE(o.translate_options().parting.capitals);
  o.letter_case = "keep";
  EXPECT_FALSE(o.translate_options().parting.capitals);
}

}  // namespace
}  // namespace hexapla::decode
