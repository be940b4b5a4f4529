#include "decode/rescoring/rescoring.h"

#include <gmock/gmock.h>

#include <cmath>

#include "decode/strategies/beam_entry.h"
#include "decode/test_text.h"
#include "decode/text/text_scorer.h"

namespace hexapla::decode {
namespace {
using namespace test;
using testing::HasSubstr;
using testing::Not;

TEST(Coverage, ByHand) {
  const SoftAlignment soft{2, 3, {0.2, 0.5, 0.3, 0.1, 0.7, 0.2}};  // the last column is </s>
  EXPECT_DOUBLE_EQ(coverage(soft), std::log(0.2 + 0.1));
  EXPECT_EQ(coverage({1, 3, {1, 1, 0}}), 0);
  EXPECT_DOUBLE_EQ(coverage({1, 2, {0, 1}}), std::log(1e-10));
}

TEST(Copied, AnUnknownPieceComesFromAnUnknownPiece) {
  const std::string text = "ein Ж2 Haus";
  const text::EncodedText source{{5, 3, 7, 8}, {{0, 3}, {4, 6}, {6, 7}, {7, 12}}};
  const SoftAlignment soft{2, 5, {0.1, 0.1, 0.5, 0.2, 0.1, 0.2, 0.1, 0.1, 0.5, 0.1}};
  EXPECT_EQ(source_of_unknown(soft, 0, text, source, 3), "Ж");
  EXPECT_EQ(source_of_unknown(soft, 0, text, source, 9), "Ж2") << "the whole word that has most";
  EXPECT_EQ(source_of_unknown(soft, 1, text, source, 9), "Haus");
}

class RescoringTest : public testing::Test {
 protected:
  RescoringTest() {
    m_.set_bias(vocabulary().eos(), -2);
    options_.search.extra_length = 5;
    options_.attention = {1, AttentionHead::kMean};
  }
  void like_unknown_pieces() { m_.set_bias(vocabulary().unk(), 7); }

  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, vocabulary(), vocabulary(), *backend_};
  TextScorer scorer_{m_.model, vocabulary(), vocabulary(), *backend_};
  TranslateOptions options_;
};

TEST_F(RescoringTest, TheCoveragePenaltyReordersTheBeam) {
  const auto lines = made_up_lines(300, 5);
  options_.search.n_best = options_.search.beam_size;
  const auto plain = translator_.translate(lines, options_);
  options_.coverage_penalty = 20;
  const auto covered = translator_.translate(lines, options_);
  options_.search.n_best = 1;
  const auto best = translator_.translate(lines, options_);
  int changed = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(covered[i].size(), plain[i].size());
    ASSERT_EQ(best[i].size(), 1u);
    EXPECT_EQ(best[i][0].ids, covered[i][0].ids);
    changed += covered[i][0].ids != plain[i][0].ids;
    const auto soft = scorer_.align(std::vector<std::string>(covered[i].size(), lines[i]), covered[i], options_,
                                    {options_.attention, AlignmentUnit::pieces});
    for (size_t j = 0; j < covered[i].size(); ++j) {
      const Translation& t = covered[i][j];
      const auto same = [&](const Translation& p) { return p.ids == t.ids; };
      const auto p = std::find_if(plain[i].begin(), plain[i].end(), same);
      ASSERT_NE(p, plain[i].end());
      EXPECT_NEAR(t.normalized, p->normalized + 20 * coverage(soft[j]), 1e-9);
      EXPECT_NEAR(t.coverage, 20 * coverage(soft[j]), 1e-9);
      if (j > 0) {
        EXPECT_LE(t.normalized, covered[i][j - 1].normalized);
      }
    }
  }
  EXPECT_GT(changed, 5);
}

TEST_F(RescoringTest, PartsOfALineAddTheirCoverage) {
  options_.coverage_penalty = 0.5;
  const std::string first = "zwei Katzen laufen schnell.", second = "ein Hund läuft.";
  options_.max_length = static_cast<int64_t>(vocabulary().encode(first).size()) + 1;
  const Translation whole = translator_.translate(std::vector{first + " " + second}, options_)[0][0];
  const auto parts = translator_.translate(std::vector{first, second}, options_);
  EXPECT_NEAR(whole.coverage, parts[0][0].coverage + parts[1][0].coverage, 1e-9);
  EXPECT_NEAR(whole.normalized, parts[0][0].normalized + parts[1][0].normalized, 1e-9);
  EXPECT_LT(whole.coverage, 0);
}

TEST_F(RescoringTest, UnknownPiecesAreCopied) {
  like_unknown_pieces();
  const std::vector<std::string> lines{"zwei ЖЮ Katzen", "ein Hund läuft", ""};
  options_.search.extra_length = 3;
  const auto kept = translator_.translate(lines, options_);
  options_.copy_unknown = true;
  const auto found = translator_.translate(lines, options_);
  EXPECT_EQ(found[2][0].text, "");
  for (size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(found[i][0].ids, kept[i][0].ids) << "the search is the same";
    EXPECT_THAT(kept[i][0].text, HasSubstr("\u2047")) << "the test would show nothing";
    EXPECT_THAT(found[i][0].text, Not(HasSubstr("\u2047")));
    const Translation& t = found[i][0];
    ASSERT_EQ(t.spans.size(), t.ids.size());
    for (size_t j = 0; j < t.ids.size(); ++j) {
      if (t.ids[j] != vocabulary().unk()) continue;
      const std::string piece = t.text.substr(t.spans[j].from, t.spans[j].to - t.spans[j].from);
      if (i == 0)
        EXPECT_EQ(piece, "ЖЮ");
      else
        EXPECT_THAT(piece, testing::AnyOf("ein", "Hund", "läuft"));
    }
  }
}

TEST_F(RescoringTest, CopiedTextHasItsOwnWords) {
  like_unknown_pieces();
  const std::vector<std::string> lines{"zwei ЖЮ Katzen und die Straße"};
  options_.copy_unknown = true;
  const auto found = translator_.translate(lines, options_);
  const auto soft = scorer_.align(lines, found[0], options_, {options_.attention, AlignmentUnit::words});
  EXPECT_EQ(soft[0].rows, std::ssize(text::words(found[0][0].text)) + 1);
  for (int64_t t = 0; t < soft[0].rows; ++t) {
    double sum = 0;
    for (int64_t s = 0; s < soft[0].columns; ++s) sum += soft[0].at(t, s);
    EXPECT_NEAR(sum, 1, 1e-9) << "a word without a token";
  }
}

TEST_F(RescoringTest, BadOptionsAreRefused) {
  const std::vector<std::string> lines{"ein Hund"};
  const auto message = [&] {
    try {
      translator_.translate(lines, options_);
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  options_.coverage_penalty = -1;
  EXPECT_THAT(message(), HasSubstr("`coverage-penalty` is -1"));
  options_.coverage_penalty = 0.2;
  options_.search.sampling.emplace();
  EXPECT_THAT(message(), HasSubstr("leave one of them out"));
  options_.search.sampling.reset();
  options_.attention.layer = 7;
  EXPECT_THAT(message(), HasSubstr("`alignment-layer` 7"));
}

}  // namespace
}  // namespace hexapla::decode
