#include "decode/text/text_scorer.h"

#include <gmock/gmock.h>

#include <numeric>
#include <set>

#include "base/compute/parallel.h"
#include "decode/test_text.h"

namespace hexapla::decode {
namespace {
using namespace test;

class TextScorerTest : public testing::Test {
 protected:
  TextScorerTest() { m_.set_bias(vocabulary().eos(), -2); }  // fewer empty ones
  std::vector<TextScore> score(const std::vector<std::string>& from, const std::vector<std::string>& to) const {
    return scorer_.score(from, to, options_);
  }
  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TextScorer scorer_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions options_{.search = {.extra_length = 5}, .batch_tokens = 40};
};

TEST_F(TextScorerTest, AgreesWithTheTranslator) {
  const std::vector<std::string> sources = made_up_lines(60, 4);
  std::vector<std::string> targets;
  const auto found = translator_.translate(sources, options_);
  for (const auto& t : found) targets.push_back(t[0].text);
  const auto scores = score(sources, targets);
  int same = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    // The text may be encoded as other, usually fewer, tokens than the search found.
    if (std::abs(scores[i].score - found[i][0].score) > 1e-4) continue;
    EXPECT_NEAR(scores[i].normalized, found[i][0].normalized, 1e-4);
    ++same;
  }
  EXPECT_GT(same, 3);
}

// A search compares log-probabilities with penalties; greedy decoding weighs repetition by logits.
TEST_F(TextScorerTest, PenaltiesCountAsInTheSearch) {
  const std::vector<std::string> sources = made_up_lines(60, 4);
  options_.search.repetition_penalty = 1.4;
  options_.search.word_penalty = 0.2;
  for (const int beam : {1, 4}) {
    options_.search.beam_size = beam;
    options_.coverage_penalty = beam > 1 ? 0.3 : 0;
    std::vector<std::string> targets;
    const auto found = translator_.translate(sources, options_);
    for (const auto& t : found) targets.push_back(t[0].text);
    const auto scores = score(sources, targets);
    int same = 0, repeated = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      const text::Ids& ids = found[i][0].ids;
      if (scores[i].target != ids) continue;
      ++same;
      repeated += std::set(ids.begin(), ids.end()).size() < ids.size();
      EXPECT_NEAR(scores[i].score, found[i][0].score, 1e-4);
      EXPECT_NEAR(scores[i].normalized, found[i][0].normalized, 1e-4) << beam << ": " << targets[i];
    }
    EXPECT_GT(same, 3);
    EXPECT_GT(repeated, 0);
  }
}

TEST_F(TextScorerTest, NeighborsBatchesAndThreadsDoNotMatter) {
  const std::vector<std::string> sources = made_up_lines(60, 4), targets = made_up_lines(60, 5);
  use_threads(2);
  const auto together = score(sources, targets);
  use_threads(1);
  EXPECT_EQ(score(sources, targets), together);
  options_.batch_tokens = 400;
  EXPECT_EQ(score(sources, targets), together);
  for (size_t i = 0; i < sources.size(); ++i) EXPECT_EQ(score({sources[i]}, {targets[i]})[0], together[i]);
}

TEST_F(TextScorerTest, WordsAndTokensAddUp) {
  const std::vector<std::string> sources = made_up_lines(20, 4), targets = made_up_lines(20, 5);
  const auto scores = score(sources, targets);
  for (size_t i = 0; i < scores.size(); ++i) {
    const TextScore& s = scores[i];
    EXPECT_EQ(s.target, vocabulary().encode(targets[i]));
    EXPECT_EQ(s.tokens, int64_t(s.target.size()) + 1);
    EXPECT_EQ(s.log_p.size(), s.target.size() + 1);
    EXPECT_EQ(s.words.size(), text::words(targets[i]).size() + 1);
    EXPECT_EQ(s.words_read, int64_t(s.words.size()));
    EXPECT_NEAR(std::accumulate(s.words.begin(), s.words.end(), 0.0), s.score, 1e-9);
    EXPECT_NEAR(std::accumulate(s.log_p.begin(), s.log_p.end(), 0.0), s.score, 1e-9);
    EXPECT_EQ(s.words.back(), s.log_p.back());
  }
}

TEST_F(TextScorerTest, BlankLinesAndCutLines) {
  const auto scores = score({"", "ein", "", "ein"}, {"ein", "", "", " "});
  EXPECT_EQ(scores[1].tokens, 1);
  EXPECT_EQ(scores[1].words.size(), 1u);
  EXPECT_EQ(scores[3].score, scores[1].score);
  EXPECT_LT(scores[2].score, 0);
  EXPECT_EQ(scores[0].words.size(), 2u);

  Warnings warnings;
  options_.max_length = 4;
  const auto cut = scorer_.score(std::vector<std::string>{"ein"}, std::vector<std::string>{"Hund und Katzen und Hund"},
                                 options_, warnings.sink());
  EXPECT_THAT(warnings.all, testing::ElementsAre(testing::HasSubstr("only the first 4 were read")));
  EXPECT_EQ(cut[0].tokens, 4);
  EXPECT_EQ(cut[0].words.size(), 6u);
  EXPECT_EQ(cut[0].words[4], 0);
  EXPECT_LT(cut[0].words_read, 6);  // perplexity per word is that of the words read
  for (size_t i = 0; i < cut[0].words.size(); ++i)
    EXPECT_EQ(cut[0].words[i] != 0, int64_t(i) + 1 < cut[0].words_read || i + 1 == cut[0].words.size()) << i;
}

// A pair is never split: if long lines are refused, it is refused before anything is scored.
TEST_F(TextScorerTest, LongLinesAreRefusedWhereThatIsAskedFor) {
  options_.max_length = 4;
  options_.parting.long_input = LongInput::refuse;
  const std::string longer = "Hund und Katzen und Hund";
  const auto refusal = [&](const std::vector<std::string>& from, const std::vector<std::string>& to) {
    Warnings warnings;
    try {
      scorer_.score(from, to, options_, warnings.sink());
    } catch (const LineError& e) {
      EXPECT_THAT(warnings.all, testing::IsEmpty());
      return std::string(e.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal({"ein"}, {"ein"}), "none");
  EXPECT_THAT(refusal({"ein", longer}, {"ein", "ein"}),
              testing::AllOf(testing::StartsWith("line 2 has "), testing::EndsWith("or give `long-input` truncate")));
  EXPECT_THAT(refusal({"ein"}, {longer}), testing::StartsWith("line 1 of the translations has "));
  EXPECT_THROW(scorer_.align(std::vector{longer}, std::vector{longer}, options_, {{1, 0}}), LineError);
}

TEST_F(TextScorerTest, UnknownLettersOfBothSidesAreWarnedOf) {
  Warnings warnings;
  const std::vector<std::string> from{"ein", "一个男人"}, to{"在跑步。", "ein"};
  scorer_.score(from, to, options_, warnings.sink());
  EXPECT_THAT(warnings.all,
              testing::ElementsAre(testing::HasSubstr("0: its translation: the vocabulary lacks 3 of 3 letters; is the "
                                                      "line in the language that the model translates to?"),
                                   testing::HasSubstr("1: the vocabulary lacks 4 of 4 letters; is the line in the "
                                                      "language that the model translates from?")));
}

TEST_F(TextScorerTest, WrongInput) {
  EXPECT_THROW(score({"ein", "Hund"}, {"ein"}), UsageError);
  options_.max_length = 1;
  EXPECT_THROW(score({"ein"}, {"ein"}), UsageError);
  const text::Vocabulary other = text::Vocabulary::train(made_up_lines(300, 1), {.size = vocabulary().size() - 1});
  EXPECT_THROW(TextScorer(m_.model, other, vocabulary(), *backend_), InternalError);
}

}  // namespace
}  // namespace hexapla::decode
