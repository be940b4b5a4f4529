#include "data/batches/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/compute/parallel.h"
#include "base/compute/random.h"
#include "base/error.h"
#include "data/files/test_files.h"

namespace hexapla::data {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Corpus small_corpus(int pairs) {
  Random random(5);
  Corpus corpus;
  corpus.source_name = "c.en";
  corpus.target_name = "c.de";
  for (int i = 0; i < pairs; ++i) {
    std::string text;
    for (uint32_t k = 0, n = 1 + random.below(12); k < n; ++k)
      text += (k ? " w" : "w") + std::to_string(random.below(30));
    corpus.source.push_back(text);
    corpus.target.push_back("z " + text);
    corpus.lines.push_back(i + 1);
  }
  return corpus;
}

const text::Vocabulary& trained_vocabulary() {
  static const text::Vocabulary made = text::Vocabulary::train(small_corpus(300).target, {.size = 60});
  return made;
}

std::vector<Example> made_up_examples(int count) {
  Random random(9);
  std::vector<Example> examples(count);
  for (int i = 0; i < count; ++i) {
    examples[i].target = text::Ids(1 + random.below(30), 7);
    examples[i].source = text::Ids(2 + random.below(40), 8);
    examples[i].line = i + 1;
  }
  return examples;
}

int64_t target_tokens(const std::vector<Example>& examples, const std::vector<int32_t>& batch) {
  return std::accumulate(batch.begin(), batch.end(), int64_t{0},
                         [&](int64_t sum, int32_t i) { return sum + std::ssize(examples[i].target) + 1; });
}

int64_t source_tokens(const std::vector<Example>& examples, const std::vector<int32_t>& batch) {
  return std::accumulate(batch.begin(), batch.end(), int64_t{0},
                         [&](int64_t sum, int32_t i) { return sum + std::ssize(examples[i].source); });
}

TEST(EncodeCorpus, SourceEndsWithEosTargetDoesNot) {
  const Corpus corpus = small_corpus(300);
  const Encoded encoded = encode_corpus(corpus, trained_vocabulary(), trained_vocabulary(), 256);
  ASSERT_EQ(encoded.examples.size(), 300u);
  EXPECT_TRUE(encoded.notes.empty());
  for (size_t i = 0; i < encoded.examples.size(); ++i) {
    text::Ids expected = trained_vocabulary().encode(corpus.source[i]);
    expected.push_back(trained_vocabulary().eos());
    EXPECT_EQ(encoded.examples[i].source, expected);
    EXPECT_EQ(encoded.examples[i].target, trained_vocabulary().encode(corpus.target[i]));
    EXPECT_EQ(encoded.examples[i].line, corpus.lines[i]);
  }
}

TEST(EncodeCorpus, AnyNumberOfThreads) {
  const Corpus corpus = small_corpus(300);
  const int before = threads();
  std::vector<std::vector<text::Ids>> seen;
  for (const int n : {1, 3}) {
    use_threads(n);
    seen.emplace_back();
    for (const auto& example : encode_corpus(corpus, trained_vocabulary(), trained_vocabulary(), 20).examples) {
      seen.back().push_back(example.target);
    }
  }
  use_threads(before);
  EXPECT_EQ(seen[0], seen[1]);
}

TEST(EncodeCorpus, LongPairsAreDroppedWithANote) {
  Corpus corpus = small_corpus(3);
  corpus.source[1] = std::string(40, 'w');
  corpus.lines = {4, 5, 9};
  const auto length = [&](const std::string& text) { return trained_vocabulary().encode(text).size() + 1; };
  const size_t longest = std::max(
      {length(corpus.source[0]), length(corpus.target[0]), length(corpus.source[2]), length(corpus.target[2])});
  ASSERT_GT(length(corpus.source[1]), longest);
  const Encoded encoded =
      encode_corpus(corpus, trained_vocabulary(), trained_vocabulary(), static_cast<int64_t>(longest));
  ASSERT_EQ(encoded.examples.size(), 2u);
  EXPECT_EQ(encoded.examples[1].line, 9);
  EXPECT_THAT(encoded.notes, ElementsAre(AllOf(HasSubstr("c.en"), HasSubstr("1 pair dropped"), HasSubstr("(line 5)"),
                                               HasSubstr(cat("more than ", longest, " tokens")))));
  EXPECT_EQ(encode_corpus(corpus, trained_vocabulary(), trained_vocabulary(), static_cast<int64_t>(longest) - 1)
                .examples.size(),
            1u);
}

TEST(EncodeCorpus, PairsWithoutTokensAreDroppedWithANote) {
  Corpus corpus = small_corpus(2);
  corpus.target[0] = "\u3000\u200B";  // white space after normalization
  const Encoded encoded = encode_corpus(corpus, trained_vocabulary(), trained_vocabulary(), 256);
  EXPECT_EQ(encoded.examples.size(), 1u);
  EXPECT_THAT(encoded.notes, ElementsAre(AllOf(HasSubstr("no token"), HasSubstr("(line 1)"))));
}

TEST(EncodeCorpus, NothingLeft) {
  EXPECT_THAT(
      message_of<DataError>([] { encode_corpus(small_corpus(5), trained_vocabulary(), trained_vocabulary(), 1); }),
      AllOf(HasSubstr("c.en"), HasSubstr("5 pairs dropped"), HasSubstr("`max-length`")));
}

TEST(MakeBatch, IsRagged) {
  std::vector<Example> examples(3);
  examples[0] = {{10, 11, 2}, {20}, 7};
  examples[2] = {{12, 2}, {21, 22, 23}, 9};
  const std::vector<int32_t> indices = {2, 0};
  const Batch batch = make_batch(trained_vocabulary(), examples, indices);
  EXPECT_THAT(batch.source, ElementsAre(12, 2, 10, 11, 2));
  EXPECT_THAT(batch.source_offsets, ElementsAre(0, 2, 5));
  EXPECT_THAT(batch.target_in, ElementsAre(1, 21, 22, 23, 1, 20));
  EXPECT_THAT(batch.target_out, ElementsAre(21, 22, 23, 2, 20, 2));
  EXPECT_THAT(batch.target_offsets, ElementsAre(0, 4, 6));
  EXPECT_THAT(batch.lines, ElementsAre(9, 7));
  EXPECT_EQ(batch.target_tokens(), 6);
  EXPECT_EQ(batch.source_tokens(), 5);
  EXPECT_EQ(batch.sequences(), 2);
}

TEST(MakeBatch, PlaceOutsideIsAnError) {
  const std::vector<Example> examples(2);
  const std::vector<int32_t> indices = {2};
  EXPECT_THROW(make_batch(trained_vocabulary(), examples, indices), InternalError);
}

TEST(PlanEpoch, EveryExampleOnceWithinTheLimits) {
  const auto examples = made_up_examples(2000);
  std::multiset<int32_t> seen;
  const auto plan = plan_epoch(examples, {.batch_tokens = 400}, 1);
  for (const auto& batch : plan) {
    EXPECT_FALSE(batch.empty());
    EXPECT_LE(target_tokens(examples, batch), 400);
    EXPECT_LE(source_tokens(examples, batch), 600);
    seen.insert(batch.begin(), batch.end());
  }
  EXPECT_EQ(seen.size(), 2000u);
  EXPECT_EQ(std::set<int32_t>(seen.begin(), seen.end()).size(), 2000u);
}

TEST(PlanEpoch, NeighborsAreOfLikeLengthAndBatchesAreNotSorted) {
  const auto examples = made_up_examples(2000);
  const auto plan = plan_epoch(examples, {.batch_tokens = 400}, 1);
  std::vector<size_t> longest;
  for (const auto& batch : plan) {
    const auto by_length = [&](int32_t a, int32_t b) { return examples[a].target.size() < examples[b].target.size(); };
    const auto [low, high] = std::minmax_element(batch.begin(), batch.end(), by_length);
    EXPECT_LE(examples[*high].target.size() - examples[*low].target.size(), 2u);
    longest.push_back(examples[*high].target.size());
  }
  EXPECT_FALSE(std::is_sorted(longest.begin(), longest.end()));
}

TEST(PlanEpoch, DependsOnSeedAndEpochAlone) {
  const auto examples = made_up_examples(500);
  const Batching options{.batch_tokens = 200, .seed = 4};
  EXPECT_EQ(plan_epoch(examples, options, 3), plan_epoch(examples, options, 3));
  EXPECT_NE(plan_epoch(examples, options, 3), plan_epoch(examples, options, 4));
  EXPECT_NE(plan_epoch(examples, options, 3), plan_epoch(examples, {.batch_tokens = 200, .seed = 5}, 3));
  const auto sorted = [&](int64_t epoch) {  // not only the order of the batches changes, but also their members
    auto plan = plan_epoch(examples, options, epoch);
    for (auto& batch : plan) std::sort(batch.begin(), batch.end());
    std::sort(plan.begin(), plan.end());
    return plan;
  };
  EXPECT_NE(sorted(3), sorted(4));
}

TEST(PlanEpoch, FillsItsBatches) {
  const auto examples = made_up_examples(2000);
  const auto plan = plan_epoch(examples, {.batch_tokens = 400}, 1);
  int64_t tokens = 0;
  for (const auto& batch : plan)
    tokens += std::max(target_tokens(examples, batch) * 3 / 2, source_tokens(examples, batch));
  EXPECT_GT(static_cast<double>(tokens) / static_cast<double>(plan.size()), 0.9 * 600);
}

TEST(PlanEpoch, AnExampleAboveTheLimitStandsAlone) {
  auto examples = made_up_examples(20);
  examples[3].target = text::Ids(1000, 7);
  for (const auto& batch : plan_epoch(examples, {.batch_tokens = 100}, 1)) {
    const bool has_long = std::find(batch.begin(), batch.end(), 3) != batch.end();
    EXPECT_TRUE(!has_long || batch.size() == 1);
  }
}

TEST(PlanEpoch, NoExamplesNoBatches) { EXPECT_TRUE(plan_epoch({}, {}, 1).empty()); }

TEST(PlanEpoch, BatchTokensOutOfRange) {
  EXPECT_THAT(message_of<UsageError>([] { plan_epoch({}, {.batch_tokens = 0}, 1); }), HasSubstr("`batch-tokens` 0"));
}

}  // namespace
}  // namespace hexapla::data
