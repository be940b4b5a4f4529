#include "decode/text/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/files/test_folder.h"
#include "decode/lines/length_batches.h"
#include "decode/rescoring/consensus.h"
#include "decode/test_text.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TranslatorTest : public testing::Test {
 protected:
  TranslatorTest() { m_.set_bias(vocabulary().eos(), -2); }  // fewer empty ones
  std::vector<std::string> texts(const std::vector<std::string>& lines, const TranslateOptions& options,
                                 const LineWarning& warn = {}) const {
    std::vector<std::string> best;
    for (const auto& t : translator_.translate(lines, options, warn)) best.push_back(t.at(0).text);
    return best;
  }
  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions short_{.search = {.extra_length = 5}};
};

TEST_F(TranslatorTest, BatchesDoNotMatterAndOrderIsKept) {
  std::vector<std::string> lines = made_up_lines(60, 2);
  lines[7] = lines[20] = "";
  lines[31] = "  ";
  TranslateOptions together = short_, alone = short_, few = short_;
  together.batch_sentences = 1000, together.batch_tokens = 1'000'000;
  alone.batch_sentences = 1;
  few.batch_tokens = 40;
  const std::vector<std::string> expected = texts(lines, together);
  EXPECT_EQ(texts(lines, alone), expected);
  EXPECT_EQ(texts(lines, few), expected);
  EXPECT_EQ(expected[7] + expected[20] + expected[31], "");
  EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](const auto& t) { return !t.empty(); }), 30);
  std::reverse(lines.begin(), lines.end());
  std::vector<std::string> back = texts(lines, short_);
  std::reverse(back.begin(), back.end());
  EXPECT_EQ(back, expected);
}

TEST_F(TranslatorTest, HowMuchMemoryThereIsDoesNotMatter) {
  const std::vector<std::string> lines = made_up_lines(60, 2);
  const std::vector<std::string> expected = texts(lines, short_);
  const size_t least = least_memory(m_.model, vocabulary(), lines, short_);
  for (const size_t memory : {size_t{1}, least, 3 * least, 50 * least, size_t{1} << 40}) {
    short_.memory = memory;
    EXPECT_EQ(texts(lines, short_), expected) << memory;
  }
}

TEST_F(TranslatorTest, TheLongestPartNeedsTheMostMemory) {
  const std::string longest = "ein Hund und zwei Katzen und ein Hund";
  const auto least = [&](const std::vector<std::string>& lines) {
    return least_memory(m_.model, vocabulary(), lines, short_);
  };
  EXPECT_EQ(least({"ein", longest, "Hund"}), least({longest}));
  EXPECT_LT(least({"ein"}), least({longest}));
  EXPECT_GT(least({}), 0u);
  short_.max_length = 4;  // longer lines are split
  EXPECT_LT(least({longest}), least({longest + " und zwei Katzen"}) + 1);
  const size_t split = least({longest});
  short_.search.beam_size = 64;
  EXPECT_GT(least({longest}), 4 * split);
}

TEST_F(TranslatorTest, IsTheSearchBetweenTwoVocabularies) {
  const std::string line = "zwei Katzen und ein Hund";
  text::Ids ids = vocabulary().encode(line);
  ids.push_back(vocabulary().eos());
  Arena arena = make_arena(*backend_, 64 << 20);
  Context cx{*backend_, arena};
  short_.search.n_best = 4;
  const auto found = search(cx, m_.model, std::vector<text::Ids>{ids}, short_.search, special_ids(vocabulary()))[0];
  const auto translations = translator_.translate(std::vector{line}, short_)[0];
  ASSERT_EQ(translations.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(translations[i].text, vocabulary().decode(found[i].ids));
    EXPECT_EQ(translations[i].score, found[i].score);
    EXPECT_EQ(translations[i].normalized, found[i].normalized);
  }
}

TEST_F(TranslatorTest, LongLinesAreCutWithAWarning) {
  const std::vector<std::string> lines{"ein Hund", "ein Hund und zwei Katzen und die Straße", "ein"};
  TranslateOptions options = short_;
  options.max_length = 4;
  options.parting.long_input = LongInput::truncate;
  Warnings warnings;
  const auto cut = texts(lines, options, warnings.sink());
  EXPECT_THAT(warnings.all, ElementsAre(testing::AllOf(HasSubstr("1: of "), HasSubstr("first 4"))));
  EXPECT_EQ(cut[0], texts(lines, short_)[0]);
}

TEST_F(TranslatorTest, ALineInAScriptThatTheModelDoesNotKnowIsWarnedOf) {
  const std::vector<std::string> lines{"ein Hund", "一个男人在跑。", "ein Hund Ωμ", "สุนัขวิ่ง ein", "☃ ☃", "", "ein"};
  Warnings warnings;
  texts(lines, short_, warnings.sink());
  EXPECT_THAT(warnings.all,
              ElementsAre(HasSubstr("1: the vocabulary lacks 6 of 6 letters"), HasSubstr("3: the vocabulary lacks")));
}

TEST_F(TranslatorTest, APrefixOfALineOfWhichNothingIsTranslatedIsWarnedOf) {
  const std::vector<std::string> lines{"", "ein", "  ", ""};
  const std::vector<LineConstraints> asked{{.prefix = "a"}, {.prefix = "a"}, {.require = {"a"}}, {}};
  Warnings warnings;
  translator_.translate({.text = lines, .requests = asked}, short_, warnings.sink());
  EXPECT_THAT(warnings.all, ElementsAre(HasSubstr("0: nothing is"), HasSubstr("2: nothing is")));
}

TEST_F(TranslatorTest, TheLettersOfAllPartsOfALineCount) {
  TranslateOptions options = short_;
  options.max_length = 8;
  Warnings warnings;
  texts(std::vector<std::string>{"ein Hund und zwei Katzen. 一个男人. und die Straße."}, options, warnings.sink());
  EXPECT_THAT(warnings.all, Not(testing::Contains(HasSubstr("lacks"))));
}

// Each as if it were alone, joined by the original separators.
TEST_F(TranslatorTest, SentencesOfALineAreTranslatedOneByOne) {
  const std::vector<std::string> one_by_one{"ein Hund läuft.", "Katzen und zwei!", "Straße"};
  TranslateOptions options = short_;
  const auto alone = texts(one_by_one, options);
  const std::string line = one_by_one[0] + " " + one_by_one[1] + " \t " + one_by_one[2];
  const std::string whole = texts({line}, options)[0], parted = alone[0] + " " + alone[1] + " \t " + alone[2];
  ASSERT_NE(whole, parted);
  Warnings warnings;
  const auto with = [&](Sentences sentences, int64_t familiar) {
    options.parting = {sentences, familiar, LongInput::split};
    return texts({line}, options, warnings.sink())[0];
  };
  EXPECT_EQ(with(Sentences::automatic, 0), parted);
  EXPECT_EQ(with(Sentences::automatic, 4), parted);
  EXPECT_EQ(with(Sentences::automatic, 100), whole) << "the model has learned from such lines";
  EXPECT_EQ(with(Sentences::split, 100), parted);
  EXPECT_EQ(with(Sentences::keep, 0), whole);
  EXPECT_THAT(warnings.all, IsEmpty());
}

TEST_F(TranslatorTest, ASentenceIsAsLongAsALineMayBe) {
  TranslateOptions options = short_;
  options.max_length = 16;
  const std::string sentence = "Hund und zwei Katzen läuft.", line = sentence + " " + sentence + " " + sentence;
  options.parting = {Sentences::keep, 0, LongInput::refuse};
  EXPECT_THROW(texts({line}, options), LineError);
  options.parting.sentences = Sentences::automatic;
  const std::string alone = texts({sentence}, options)[0];
  EXPECT_EQ(texts({line}, options)[0], alone + " " + alone + " " + alone);
}

// It is unknown which sentence should contain them.
TEST_F(TranslatorTest, ALineWithRequiredPhrasesStaysWhole) {
  const std::vector<std::string> lines{"ein Hund läuft. Katzen und zwei!"};
  const std::vector<LineConstraints> requests{{.require = {"und"}}};
  TranslateOptions options = short_;
  const auto whole = translator_.translate(Lines{lines, requests}, options)[0];
  options.parting.sentences = Sentences::automatic;
  EXPECT_EQ(translator_.translate(Lines{lines, requests}, options)[0][0].text, whole[0].text);
  options.parting.sentences = Sentences::split;
  EXPECT_THAT(what_of<LineError>([&] {
                translator_.translate(Lines{lines, requests}, options);
              }),
              HasSubstr("give `sentences` keep or auto"));
}

// For any effect of the length penalty on sums of scores; the first is what a plain search
// finds.
TEST_F(TranslatorTest, TranslationsOfALineInPartsAreBestFirst) {
  std::vector<std::string> lines = made_up_lines(60, 5);
  for (size_t i = 0; i < lines.size(); ++i) lines[i] += ". " + lines[(i + 7) % lines.size()] + ". " + lines[i / 2];
  for (const LengthPenalty& penalty : {LengthPenalty(PaperPenalty{1.5}), LengthPenalty(PowerPenalty{1})}) {
    TranslateOptions options = short_;
    options.max_length = 16;
    options.search.length_penalty = penalty;
    const auto best = translator_.translate(lines, options);
    options.search.n_best = 4;
    const auto all = translator_.translate(lines, options);
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(all[i].at(0).text, best[i].at(0).text);
      EXPECT_EQ(all[i][0].normalized, best[i][0].normalized);
      for (size_t k = 1; k < all[i].size(); ++k) EXPECT_GE(all[i][k - 1].normalized, all[i][k].normalized) << i;
    }
  }
}

// log of the sum of exp.
double joined(const std::vector<double>& logs) {
  double sum = 0;
  for (const double x : logs) sum += std::exp(x);
  return std::log(sum);
}

// One entry for each text, of a beam and of samples, of lines in one part and in several. Its probability is that of
// all segmentations that were found, each once.
TEST_F(TranslatorTest, DistinctTranslationsHaveTheProbabilityOfTheirText) {
  std::vector<std::string> lines = made_up_lines(12, 5);
  for (size_t i = 0; i < lines.size(); i += 2) lines[i] += ". " + lines[i + 1];
  size_t equal = 0;
  for (const bool sample : {false, true}) {
    TranslateOptions options = short_;
    options.parting.sentences = Sentences::split;
    options.search.beam_size = options.search.n_best = 300;
    options.search.longest = 2;  // few texts, so that many are equal
    if (sample) options.search.sampling = SamplingOptions{};
    const auto all = translator_.translate(lines, options);
    options.distinct = true;
    const auto distinct = translator_.translate(lines, options);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::map<std::string, std::map<text::Ids, double>> expected;
      for (const Translation& t : all[i]) expected[t.text][t.ids] = t.score;
      std::set<std::string> texts;
      for (const Translation& t : distinct[i]) {
        EXPECT_TRUE(texts.insert(t.text).second) << "a text twice";
        if (i % 2 == 0) continue;  // in parts
        std::vector<double> scores;
        for (const auto& [ids, score] : expected.at(t.text)) scores.push_back(score);
        EXPECT_NEAR(t.score, joined(scores), 1e-5) << t.text;
        equal += scores.size() - 1;
      }
      if (i % 2 == 1) {
        EXPECT_EQ(texts.size(), expected.size());
        EXPECT_TRUE(std::ranges::is_sorted(distinct[i], std::greater(), &Translation::normalized));
      }
    }
  }
  EXPECT_GT(equal, 10u) << "nothing was tested";
}

// For a beam and for samples, by each likeness: the order is that of consensus(), and a text stands once.
TEST_F(TranslatorTest, MinimumBayesRiskTakesWhatIsMostLikeAll) {
  const std::vector<std::string> lines = made_up_lines(30, 6);
  size_t others = 0;
  for (const Likeness likeness : {Likeness::chrf, Likeness::bleu})
    for (const bool sample : {false, true}) {
      TranslateOptions options = short_;
      options.search.beam_size = options.search.n_best = options.candidates = 8;
      if (sample) options.search.sampling = SamplingOptions{};
      const auto all = translator_.translate(lines, options);
      options.mbr = likeness;
      options.search.n_best = 2;
      const auto chosen = translator_.translate(lines, options);
      for (size_t i = 0; i < lines.size(); ++i) {
        std::vector<std::string> texts;
        std::vector<double> weights;
        const double most = std::ranges::max(all[i], {}, &Translation::score).score;
        for (const Translation& t : all[i]) {
          texts.push_back(t.text);
          weights.push_back(sample ? 1 : std::exp(t.score - most));
        }
        const std::vector<double> scores = consensus(likeness, texts, weights);
        const auto best = std::ranges::max_element(scores) - scores.begin();
        EXPECT_EQ(chosen[i].at(0).text, texts[best]);
        EXPECT_TRUE(chosen[i].size() == 1 || chosen[i][1].text != texts[best]);
        others += best != 0;
      }
    }
  EXPECT_GT(others, 10u) << "nothing was tested";
}

// A missing translation has no score.
TEST_F(TranslatorTest, WhatHasNoTranslationHasNoScore) {
  const std::vector<std::string> lines{"", "ein Hund", "ein Hund und Katzen. die Katzen und die Straße. zwei Hund",
                                       "ein"};
  TranslateOptions options = short_;
  options.max_length = 8;
  options.search.longest = 3;
  const std::string too_much = "ein Hund und zwei Katzen und die Straße";
  const std::vector<LineConstraints> requests{{.prefix = too_much}, {.prefix = too_much}, {.prefix = too_much}, {}};
  Warnings warnings;
  const auto found = translator_.translate(Lines{lines, requests}, options, warnings.sink());
  const double none = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(found[0].at(0).score, 0) << "a blank line";
  EXPECT_EQ(found[1].at(0).text, "");
  EXPECT_EQ(found[2].at(0).score, none);
  EXPECT_NE(found[2][0].text, "") << "the other parts";
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(found[i].at(0).whole(), i == 0 || i == 3);
    EXPECT_EQ(found[i][0].score == none, found[i][0].normalized == none);
  }
  const std::string none_follows = "no translation satisfies the constraints; relax them";
  EXPECT_THAT(warnings.all, testing::Contains("1: " + none_follows));
  EXPECT_THAT(warnings.all, testing::Contains(testing::AllOf(HasSubstr("2: of part 1 of "), HasSubstr(none_follows))));
  EXPECT_EQ(warnings.all.size(), 4u) << "and that line 0 is blank, and line 2 in parts";
}

// Lines before the invalid one are fine, and the error names the line.
TEST_F(TranslatorTest, TheFirstLineThatCannotBeIsNamed) {
  const std::vector<std::string> lines{"ein Hund", "zwei", "ein Hund und zwei Katzen und die Straße", "ein"};
  const auto index = [&](const std::vector<LineConstraints>& requests, const TranslateOptions& options) -> int64_t {
    Warnings warnings;
    try {
      translator_.translate(Lines{lines, requests, 10}, options, warnings.sink());
    } catch (const LineError& e) {
      EXPECT_TRUE(warnings.all.empty()) << "what is warned of is done";
      EXPECT_THAT(e.what(), testing::StartsWith(cat("line ", 11 + e.line)));
      return static_cast<int64_t>(e.line);
    }
    return -1;
  };
  TranslateOptions options = short_;
  EXPECT_EQ(index({}, options), -1);
  EXPECT_EQ(index({{}, {}, {}, {.require = {"Ж"}}}, options), 3);
  EXPECT_EQ(index({{}, {.forbid = {" "}}, {}, {.require = {"Ж"}}}, options), 1);
  options.max_length = 8;
  EXPECT_EQ(index({{.require = {"ein"}}, {}, {.require = {"ein"}}, {}}, options), 2);
  EXPECT_EQ(index({{}, {}, {}, {.require = {"ein"}}}, options), -1);
  options.parting.long_input = LongInput::refuse;
  EXPECT_EQ(index({}, options), 2);
  options.search.sampling = SamplingOptions{};
  EXPECT_EQ(index({{}, {.require = {"ein"}}, {}, {}}, options), 1);
  options.everywhere.require = {"ein"};
  EXPECT_THROW(texts(lines, options), UsageError);
}

TEST_F(TranslatorTest, LearnedPositionsAreTheLongestLine) {
  model::Config c = config();
  c.positions = "learned", c.max_positions = 6;
  TestModel m(c);
  m.parameters.move_to(*backend_);
  const TextTranslator translator(m.model, vocabulary(), vocabulary(), *backend_);
  Warnings warnings;
  short_.parting.long_input = LongInput::truncate;
  const std::vector<std::string> lines{"ein Hund und zwei Katzen und die Straße und die Katzen"};
  EXPECT_EQ(translator.translate(lines, short_, warnings.sink()).size(), 1u);
  EXPECT_THAT(warnings.all, ElementsAre(testing::AllOf(HasSubstr("first 6"), HasSubstr("learned positions"))));
}

TEST_F(TranslatorTest, InvalidUtf8IsReadAsReplacementCharacters) {
  Warnings warnings;
  const auto found = texts({"ein Hund", "ein \xff\xfe Hund"}, short_, warnings.sink());
  EXPECT_THAT(warnings.all, ElementsAre(HasSubstr("1: 2 bytes")));
  EXPECT_EQ(found[1], texts({"ein \uFFFD\uFFFD Hund"}, short_)[0]);
}

TEST_F(TranslatorTest, WrongOptionsAndVocabularies) {
  TranslateOptions bad[3];
  bad[0].batch_sentences = 0;
  bad[1].batch_tokens = 0;
  bad[2].max_length = 1;
  for (const TranslateOptions& options : bad) EXPECT_THROW(texts({"ein"}, options), UsageError);
  const text::Vocabulary other = text::Vocabulary::train(made_up_lines(300, 1), {.size = vocabulary().size() - 1});
  ASSERT_NE(other.size(), vocabulary().size());
  EXPECT_THROW(TextTranslator(m_.model, other, vocabulary(), *backend_), InternalError);
}

TEST(PlanBatches, LongestFirstWithinBothLimits) {
  const std::vector<int64_t> sentences{2, 9, 0, 4, 4, 1, 30};
  using Batches = std::vector<std::vector<size_t>>;
  EXPECT_EQ(plan_batches(sentences, {.batch_sentences = 3, .batch_tokens = 12}), (Batches{{6}, {1}, {3, 4, 0}, {5}}));
  EXPECT_EQ(plan_batches(sentences, {.batch_sentences = 2, .batch_tokens = 100}), (Batches{{6, 1}, {3, 4}, {0, 5}}));
  EXPECT_TRUE(plan_batches({}, {}).empty());
}

}  // namespace
}  // namespace hexapla::decode
