// Text hidden from the model occurs exactly once in every translation, for any search options and
// any line.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "decode/options/named/decoding_options.h"
#include "decode/test_text.h"
#include "decode/text/text_scorer.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::vector<std::string> kKinds{
    "{0}",   "{{ name }}",   "${x}", "%1$s",       "<x id=\"1\"/>", "https://a.example/b?c.d",
    "@name", "me@a.example", "#tag", "\U0001F600", "`code; x.`"};

size_t count_of(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

class PutBackTest : public testing::Test {
 protected:
  PutBackTest() {
    m_.set_bias(vocabulary().eos(), -2);  // fewer empty translations
    protect();
  }
  void protect(bool placeholders = true, std::vector<std::string> patterns = {}) {
    options_.parting.protection = std::make_shared<const text::Protection>(placeholders, patterns);
  }
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& lines,
                                                  const std::vector<LineConstraints>& asked = {}) const {
    return translator_.translate(Lines{lines, asked}, options_);
  }
  std::string text(const std::string& line) const { return translate({line})[0][0].text; }

  // Lines with two to four spans of all kinds at any place: between words, inside of words, at both
  // ends.
  std::vector<std::string> lines_with_kinds(int n, uint64_t seed) const {
    std::vector<std::string> lines = made_up_lines(n, seed);
    Random random(seed, 41);
    for (std::string& line : lines) {
      if (random.below(3) == 0) {
        line += random.below(2) == 0 ? ". " : "! ";
        line += lines[random.below(uint32_t(n))];
      }
      for (uint32_t k = 2 + random.below(3); k > 0; --k) {
        std::string what = kKinds[random.below(uint32_t(kKinds.size()))];
        size_t at = random.below(uint32_t(line.size() + 1));
        while (at < line.size() && line[at] != ' ') ++at;
        if (random.below(4) != 0) what = " " + what + " ";
        line.insert(at, what);
      }
    }
    return lines;
  }
  void expect_all_there(const std::vector<std::string>& lines) const {
    const auto found = translate(lines);
    for (size_t i = 0; i < lines.size(); ++i)
      for (const Translation& t : found[i]) {
        if (!t.whole()) continue;
        std::string hidden;  // inside of a word, an @name is not
        for (const text::TokenSpan& span : options_.parting.protection->find(lines[i], {}))
          hidden += lines[i].substr(span.from, span.to - span.from) + "\n";
        for (const std::string& kind : kKinds)
          ASSERT_EQ(count_of(t.text, kind), count_of(hidden, kind)) << lines[i] << "\n" << t.text;
        ASSERT_TRUE(std::all_of(t.spans.begin(), t.spans.end(),
                                [&](const auto& s) { return s.from <= s.to && s.to <= t.text.size(); }));
      }
  }

  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TextScorer scorer_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions options_{.search = {.extra_length = 5}, .batch_tokens = 40};
};

TEST_F(PutBackTest, WhateverTheSearch) {
  const std::vector<std::string> lines = lines_with_kinds(60, 3);
  expect_all_there(lines);
  options_.search.n_best = 4;
  expect_all_there(lines);
  options_.copy_unknown = true;
  options_.coverage_penalty = 0.5;
  options_.attention = {1, 1};
  expect_all_there(lines);
  options_.coverage_penalty = 0;
  options_.search.sampling = SamplingOptions{.temperature = 2};
  expect_all_there(lines);
  options_.search = {.beam_size = 1, .longest = 1};
  expect_all_there(lines);
}

TEST_F(PutBackTest, BesideAnotherOneAndAfterAFullStop) {
  expect_all_there({"Hund #tag#tag ein", "läuft ${x}  Hund Straße.https://a.example/b?c.d ein Hund #tag#tag  ein ein"});
}

TEST_F(PutBackTest, HoweverALineIsParted) {
  const std::vector<std::string> lines = lines_with_kinds(60, 4);
  for (const Sentences sentences : {Sentences::automatic, Sentences::split, Sentences::keep})
    for (const LongInput long_input : {LongInput::split, LongInput::truncate})
      for (const int64_t length : {2, 5, 9, 512}) {
        options_.parting.sentences = sentences;
        options_.parting.long_input = long_input;
        options_.max_length = length;
        expect_all_there(lines);
      }
}

TEST_F(PutBackTest, WhatTheModelWritesIsThatOfTheLineWithoutIt) {
  for (const auto& [line, seen] : std::vector<std::pair<std::string, std::string>>{
           {"ein {0} Hund", "ein Hund"}, {"{0} ein Hund, @name!", "ein Hund,!"}, {"ein Hund", "ein Hund"}}) {
    const Translation with = translate({line})[0][0], without = translate({seen})[0][0];
    EXPECT_EQ(with.ids, without.ids);
    EXPECT_EQ(with.score, without.score);
    EXPECT_EQ(with.normalized, without.normalized);
  }
}

TEST_F(PutBackTest, LinesWithoutItStayAsTheyAre) {
  const std::vector<std::string> lines = made_up_lines(100, 5);
  options_.search.n_best = 2;
  const auto with = translate(lines);
  options_.parting.protection = nullptr;
  const auto without = translate(lines);
  for (size_t i = 0; i < lines.size(); ++i)
    for (size_t k = 0; k < with[i].size(); ++k) {
      EXPECT_EQ(with[i][k].text, without[i][k].text);
      EXPECT_EQ(with[i][k].score, without[i][k].score);
      EXPECT_THAT(with[i][k].protected_spans, IsEmpty());
    }
}

TEST_F(PutBackTest, ALineOfNothingElseIsReturnedAsItIs) {
  for (const std::string line :
       {"{0}", "{0}: {1}.", "https://a.example/b. @name", "\U0001F600\U0001F601", "(`code`)"}) {
    const auto found = translate({line})[0];
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text, line);
    EXPECT_THAT(found[0].ids, IsEmpty());
    EXPECT_EQ(found[0].score, 0);
    const std::vector<std::string> pair{line};
    EXPECT_EQ(scorer_.score(pair, pair, options_)[0].score, 0);
  }
  EXPECT_EQ(text("  {0} "), "{0}");
  EXPECT_EQ(text(""), "");
}

// The vocabulary has only German letters.
TEST_F(PutBackTest, WhatTheVocabularyCannotSpell) {
  EXPECT_THAT(text("ein \u4E00\u4E2A Hund"), HasSubstr("\u4E00\u4E2A"));
  EXPECT_THAT(text("ein \u2603 Hund"), HasSubstr("\u2603"));
  EXPECT_THAT(text("ein \u0E2B\u0E21\u0E32 Hund \u0643\u0644\u0628"),
              testing::AllOf(HasSubstr("\u0E2B\u0E21\u0E32"), HasSubstr("\u0643\u0644\u0628")));
  EXPECT_EQ(text("\u4E00\u4E2A\u7537\u4EBA\u3002"), "\u4E00\u4E2A\u7537\u4EBA\u3002");
  protect(false, {"Q\\w+"});
  EXPECT_EQ(text("{0} Qzwei"), text("{0}") + " Qzwei");
}

// A full stop in hidden text ends no sentence, and a sentence of hidden text only is kept.
TEST_F(PutBackTest, SentencesHaveTheirOwn) {
  options_.parting.sentences = Sentences::split;
  const std::string first = text("ein Hund."), second = text("Katzen und zwei!");
  const Translation t = translate({"ein {0} Hund. https://a.example/b. Katzen und me@a.example zwei!  @name"})[0][0];
  EXPECT_EQ(t.parts.size(), 2u);
  ASSERT_EQ(t.protected_spans.size(), 4u);
  std::vector<std::string> spans;
  for (const auto& s : t.protected_spans) spans.push_back(t.text.substr(s.from, s.to - s.from));
  EXPECT_THAT(spans, ElementsAre("{0}", "https://a.example/b.", "me@a.example", "@name"));
  EXPECT_LT(t.protected_spans[0].from, t.protected_spans[2].from);
}

TEST_F(PutBackTest, NothingComesIntoAPrefixOrARequiredPhrase) {
  for (const std::string& line : lines_with_kinds(40, 6)) {
    const Translation prefixed = translate({line}, {{.prefix = "die Katzen und"}})[0][0];
    if (prefixed.whole()) {
      EXPECT_THAT(prefixed.text, StartsWith("die Katzen und"));
    }
    options_.parting.sentences = Sentences::keep;
    const Translation required = translate({line}, {{.require = {"zwei Katzen"}}})[0][0];
    if (required.whole()) {
      EXPECT_THAT(required.text, HasSubstr("zwei Katzen"));
    }
  }
  const std::string given = translate({"ein {0} Hund {1}"}, {{.prefix = "die {0}"}})[0][0].text;
  EXPECT_THAT(given, StartsWith("die {0}"));
  EXPECT_EQ(count_of(given, "{0}"), 1u) << given;
  EXPECT_EQ(count_of(given, "{1}"), 1u) << given;
}

// A prefix with hidden text gives the translation that has it there, and the model sees none of it.
TEST_F(PutBackTest, APrefixHasItsOwn) {
  const std::vector<std::string> names{"\u017Bubr\u00F3wka",
                                       "{name}",
                                       "https://a.example/b?c.d",
                                       "@name",
                                       "\U0001F469\u200D\U0001F469\u200D\U0001F467",
                                       "\u682A\u5F0F\u4F1A\u793E",
                                       "`x y`",
                                       "<x id=\"1\"/>"};
  for (const std::string& name : names) {
    const std::string line = cat("ein ", name, " Hund");
    options_.search.longest = 6;
    const Translation own = translate({"ein Hund"})[0][0];
    // Between any two words of the translation, whole or in part.
    for (size_t at = own.text.find(' '); at != own.text.npos; at = own.text.find(' ', at + 1)) {
      const std::string before = own.text.substr(0, at), whole = cat(before, " ", name);
      for (size_t n = text::character_bytes(name); n <= name.size();
           n += std::max<size_t>(1, text::character_bytes(std::string_view(name).substr(n)))) {
        if (name.substr(0, n) == "h") continue;  // may be a word
        const Translation t = translate({line}, {{.prefix = cat(before, " ", name.substr(0, n))}})[0][0];
        EXPECT_EQ(t.text, whole + own.text.substr(at)) << name.substr(0, n);
        EXPECT_EQ(t.ids, own.ids) << name.substr(0, n);
        EXPECT_NEAR(t.score, own.score, 1e-4);
        ASSERT_EQ(t.protected_spans.size(), 1u);
        EXPECT_EQ(t.text.substr(t.protected_spans[0].from, t.protected_spans[0].to - t.protected_spans[0].from), name);
        if (n == name.size()) break;
      }
      const std::string more = whole + own.text.substr(at, 3);
      if (text::invalid_utf8(more)) continue;
      EXPECT_EQ(translate({line}, {{.prefix = more}})[0][0].ids, own.ids) << "'" << more << "'";
    }
    // At the start.
    const std::string part = name.substr(0, name.size() - 1);
    const Translation first = translate({line}, {{.prefix = text::invalid_utf8(part) ? name : part}})[0][0];
    EXPECT_THAT(first.text, StartsWith(name)) << first.text;
    EXPECT_EQ(first.ids, own.ids);
    EXPECT_EQ(count_of(first.text, name), 1u) << first.text;
  }
}

// "H" begins a word of the model, "Hxq" does not.
TEST_F(PutBackTest, APrefixThatMayBeAWordIsOne) {
  protect(false, {"H[\\w.]+"});
  const std::string line = "ein Hxqv.w Katzen";
  EXPECT_THAT(translate({line}, {{.prefix = "die H"}})[0][0].text, testing::Not(StartsWith("die Hxqv.w")));
  EXPECT_THAT(translate({line}, {{.prefix = "die H"}})[0][0].text, HasSubstr("Hxqv.w"));
  EXPECT_THAT(translate({line}, {{.prefix = "die Hxqv."}})[0][0].text, StartsWith("die Hxqv.w"));
}

TEST_F(PutBackTest, ATranslationIsScoredAsItWasFound) {
  const std::vector<std::string> lines = lines_with_kinds(60, 7);
  const auto found = translate(lines);
  std::vector<std::string> texts;
  for (const auto& of_line : found) texts.push_back(of_line[0].text);
  const auto scores = scorer_.score(lines, texts, options_);
  int same = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(scores[i].words.size(), text::words(texts[i]).size() + 1);
    EXPECT_NEAR(std::accumulate(scores[i].words.begin(), scores[i].words.end(), 0.0), scores[i].score, 1e-6);
    // Restored text may be tokenized differently than found, but with the same tokens it has the
    // same score.
    if (scores[i].target != found[i][0].ids) continue;
    EXPECT_NEAR(scores[i].score, found[i][0].score, 1e-4) << lines[i] << "\n" << texts[i];
    ++same;
  }
  EXPECT_GT(same, 10);
  const std::vector<std::string> one{lines[0]}, other{"ein Hund"};
  const auto others = scorer_.score(one, other, options_);
  options_.parting.protection = nullptr;
  EXPECT_EQ(scorer_.score(one, other, options_)[0].score, others[0].score) << "not what it was made of";
}

// In words of the whole line and of the whole translation.
TEST_F(PutBackTest, IsLinkedWithItself) {
  for (const Sentences sentences : {Sentences::keep, Sentences::split}) {
    options_.parting.sentences = sentences;
    const std::vector<std::string> lines{"ein {0} Hund. Katzen {1} und zwei Katzen!"};
    const auto found = translate(lines);
    const std::vector<Translation> best{found[0][0]};
    const auto soft = scorer_.align(lines, best, options_, {{}, AlignmentUnit::words})[0];
    const auto source = words_in(lines[0], AlignmentUnit::words), target = words_in(best[0].text, AlignmentUnit::words);
    ASSERT_EQ(soft.columns, int64_t(source.size()) + 1);
    ASSERT_EQ(soft.rows, int64_t(target.size()) + 1);
    const auto links = hard_links(soft);
    for (size_t t = 0; t < target.size(); ++t) {
      if (target[t] != "{0}" && target[t] != "{1}") continue;
      const auto s = std::find(source.begin(), source.end(), target[t]) - source.begin();
      EXPECT_TRUE(std::count(links.begin(), links.end(), data::Link{int32_t(s), int32_t(t)})) << best[0].text;
    }
    EXPECT_EQ(scorer_.align(lines, best, options_, {{}, AlignmentUnit::pieces})[0].rows,
              int64_t(best[0].ids.size()) + 1);
    if (sentences == Sentences::split) continue;
    const std::vector<std::string> given{best[0].text};
    const auto pair = scorer_.align(lines, given, options_, {{}, AlignmentUnit::words})[0];
    EXPECT_EQ(pair.rows, soft.rows);
    EXPECT_EQ(pair.columns, soft.columns);
  }
}

TEST_F(PutBackTest, OptionsSayWhatIsProtected) {
  DecodingOptions o;
  ASSERT_TRUE(o.translate_options().parting.protection);
  o.protect = "none";
  EXPECT_FALSE(o.translate_options().parting.protection);
  o.protect_pattern = {"a+"};
  EXPECT_FALSE(o.translate_options().parting.protection->placeholders());
  o.protect_pattern = {"("};
  EXPECT_THROW(o.translate_options(), UsageError);
}

}  // namespace
}  // namespace hexapla::decode
