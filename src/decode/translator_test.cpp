#include "decode/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "backend/cpu/cpu.h"
#include "decode/test_text.h"

namespace hexapla {
namespace {
using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;

class TranslatorTest : public testing::Test {
 protected:
  TranslatorTest() { m_.model.generator.bias->value.data<float>()[vocabulary().eos()] = -2; }  // fewer empty ones
  std::vector<std::string> texts(const std::vector<std::string>& lines, const TranslateOptions& options,
                                 const LineWarning& warn = {}) const {
    std::vector<std::string> best;
    for (const auto& t : translator_.translate(lines, options, warn)) best.push_back(t.at(0).text);
    return best;
  }
  TestModel m_{config()};
  std::unique_ptr<Backend> backend_ = make_cpu_backend();
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
  short_.max_length = 4;  // a longer line is split
  EXPECT_LT(least({longest}), least({longest + " und zwei Katzen"}) + 1);
  const size_t split = least({longest});
  short_.search.beam_size = 64;
  EXPECT_GT(least({longest}), 4 * split);
}

TEST_F(TranslatorTest, IsTheSearchBetweenTwoVocabularies) {
  const std::string line = "zwei Katzen und ein Hund";
  Ids ids = vocabulary().encode(line);
  ids.push_back(vocabulary().eos());
  Arena arena(64 << 20);
  Context cx{*backend_, arena};
  short_.search.n_best = 4;
  const auto found = search(cx, m_.model, std::vector<Ids>{ids}, short_.search, special_ids(vocabulary()))[0];
  const auto translations = translator_.translate(std::vector{line}, short_)[0];
  ASSERT_EQ(translations.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(translations[i].text, vocabulary().decode(found[i].ids));
    EXPECT_EQ(translations[i].score, found[i].score);
    EXPECT_EQ(translations[i].normalised, found[i].normalised);
  }
}

TEST_F(TranslatorTest, LongLinesAreCutWithAWarning) {
  const std::vector<std::string> lines{"ein Hund", "ein Hund und zwei Katzen und die Straße", "ein"};
  TranslateOptions options = short_;
  options.max_length = 4;
  options.long_input = LongInput::truncate;
  Warnings warnings;
  const auto cut = texts(lines, options, warnings.sink());
  EXPECT_THAT(warnings.all, ElementsAre(testing::AllOf(HasSubstr("1: of "), HasSubstr("first 4"))));
  EXPECT_EQ(cut[0], texts(lines, short_)[0]);
}

TEST_F(TranslatorTest, LearnedPositionsAreTheLongestLine) {
  Config c = config();
  c.positions = "learned", c.max_positions = 6;
  const TestModel m(c);
  const TextTranslator translator(m.model, vocabulary(), vocabulary(), *backend_);
  Warnings warnings;
  short_.long_input = LongInput::truncate;
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
  const Vocabulary other = Vocabulary::train(made_up_lines(300, 1), {.size = vocabulary().size() - 1});
  ASSERT_NE(other.size(), vocabulary().size());
  EXPECT_THROW(TextTranslator(m_.model, other, vocabulary(), *backend_), Error);
}

TEST(PlanBatches, LongestFirstWithinBothLimits) {
  const std::vector<int64_t> sentences{2, 9, 0, 4, 4, 1, 30};
  using Batches = std::vector<std::vector<size_t>>;
  EXPECT_EQ(plan_batches(sentences, {.batch_sentences = 3, .batch_tokens = 12}), (Batches{{6}, {1}, {3, 4, 0}, {5}}));
  EXPECT_EQ(plan_batches(sentences, {.batch_sentences = 2, .batch_tokens = 100}), (Batches{{6, 1}, {3, 4}, {0, 5}}));
  EXPECT_TRUE(plan_batches({}, {}).empty());
}

}  // namespace
}  // namespace hexapla
