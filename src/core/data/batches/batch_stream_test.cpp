#include "data/batches/batch_stream.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/files/test_folder.h"
#include "data/batches/epoch_parts.h"

namespace hexapla::data {
namespace {

using testing::HasSubstr;

const text::Vocabulary& vocabulary() {
  static const text::Vocabulary v =
      text::Vocabulary::train(std::vector<std::string>(40, "aa bb abc dab ef cd feed cab"), {.size = 30});
  return v;
}

std::vector<Example> examples(int count, int corpora = 1) {
  std::vector<Example> all;
  for (int i = 0; i < count; ++i)
    all.push_back({text::Ids(static_cast<size_t>(1 + i % 7), 5 + i % 3), text::Ids(static_cast<size_t>(1 + i % 5), 6),
                   i + 1, i % corpora});
  return all;
}

struct Given {
  int64_t epoch;
  BatchPosition position;
  std::vector<int64_t> lines;
  std::vector<int32_t> source, target;
  bool operator==(const Given&) const = default;
};

// All batches up to epoch `epochs`.
std::vector<Given> read(BatchStream& stream, int64_t epochs, int64_t epoch = 0, const BatchPosition& position = {}) {
  std::vector<Given> all;
  stream.seek(epoch, position);
  while (epoch < epochs) {
    const BatchPosition at = stream.position();
    const Batch& batch = stream.next();
    all.push_back({epoch, at, batch.lines, batch.source, batch.target_out});
    epoch += stream.epoch_ended();
  }
  return all;
}

std::map<int64_t, int> count_lines(const std::vector<Given>& batches, int64_t epoch) {
  std::map<int64_t, int> count;
  for (const Given& g : batches)
    if (g.epoch == epoch)
      for (const int64_t line : g.lines) ++count[line];
  return count;
}

class BatchStreams : public TestFolder {
 protected:
  static constexpr int kPairs = 20'000;  // several windows

  TrainingPairs ids(size_t memory, int count = kPairs, int corpora = 1) const {
    auto store = std::make_shared<PairStore>(memory, folder());
    for (const Example& e : examples(count, corpora)) {
      std::string source, target;
      pack_ids(e.source, source);
      pack_ids(e.target, target);
      store->add({e.corpus, e.line, source, target});
    }
    store->finish();
    return {store, vocabulary(), vocabulary(), std::vector<double>(static_cast<size_t>(corpora), 1)};
  }
  TrainingPairs text(size_t memory, int count = kPairs) const {
    auto store = std::make_shared<PairStore>(memory, folder());
    const std::vector<std::string> words{"aa", "bb", "abc", "dab", "feed", "cab"};
    for (int i = 0; i < count; ++i) {
      const std::string a = words[i % 6] + " " + words[i % 5], b = words[i % 4];
      store->add({0, i + 1, a, b});
    }
    store->finish();
    return {store, vocabulary(), vocabulary(), {1}, 0.3};
  }
  std::unique_ptr<BatchStream> open(const TrainingPairs& pairs) const {
    return open_batches(pairs, {.batch_tokens = 1000, .max_length = 20, .seed = 9}, {size_t{1} << 19, folder()});
  }
  std::vector<TrainingPairs> every_kind() const { return {ids(1 << 30), ids(0), text(1 << 30), text(0)}; }
};

TEST_F(BatchStreams, InMemoryGiveWhatThePlanSays) {
  const auto all = examples(50);
  const Batching options{.batch_tokens = 16, .seed = 9};
  const auto stream = open_batches({store_examples(all), vocabulary(), vocabulary()}, options);
  EXPECT_EQ(stream->pairs(), 50);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto plan = plan_epoch(all, options, epoch);
    for (size_t i = 0; i < plan.size(); ++i) {
      const Batch& batch = stream->next();
      const Batch wanted = make_batch(vocabulary(), all, plan[i]);
      EXPECT_EQ(batch.source, wanted.source);
      EXPECT_EQ(batch.target_in, wanted.target_in);
      EXPECT_EQ(batch.lines, wanted.lines);
      EXPECT_EQ(stream->epoch_ended(), i + 1 == plan.size());
      EXPECT_EQ(stream->position(), (BatchPosition{{}, i + 1 == plan.size() ? 0 : static_cast<int64_t>(i + 1)}));
      EXPECT_EQ(stream->batches(), std::ssize(plan));
    }
    EXPECT_DOUBLE_EQ(stream->epochs(), double(epoch + 1));
  }
}

TEST_F(BatchStreams, EveryEpochHasEveryPairOnceInAnotherOrder) {
  for (const TrainingPairs& pairs : every_kind()) {
    const auto stream = open(pairs);
    const auto batches = read(*stream, 2);
    EXPECT_EQ(stream->pairs(), kPairs);
    std::vector<std::vector<int64_t>> orders(2);
    for (const Given& g : batches) {
      auto& order = orders[g.epoch];
      order.insert(order.end(), g.lines.begin(), g.lines.end());
      EXPECT_LE(g.target.size(), 1000u);
    }
    EXPECT_NE(orders[0], orders[1]);
    for (auto& order : orders) {
      std::sort(order.begin(), order.end());
      ASSERT_EQ(order.size(), static_cast<size_t>(kPairs));
      for (int i = 0; i < kPairs; ++i) ASSERT_EQ(order[i], i + 1);
    }
  }
  EXPECT_EQ(entries(), 0u) << "something was left on the disk";
}

TEST_F(BatchStreams, GoOnFromAnyPosition) {
  for (const TrainingPairs& pairs : every_kind()) {
    const auto whole = read(*open(pairs), 2);
    for (size_t from = 0; from < whole.size(); from += 1 + whole.size() / 5) {
      const auto rest = read(*open(pairs), 2, whole[from].epoch, whole[from].position);
      EXPECT_TRUE(std::equal(rest.begin(), rest.end(), whole.begin() + static_cast<std::ptrdiff_t>(from), whole.end()));
    }
    const auto stream = open(pairs);  // and backwards
    for (size_t i : {whole.size() / 2, whole.size() - 1, size_t{3}, size_t{0}, size_t{1}}) {
      stream->seek(whole[i].epoch, whole[i].position);
      EXPECT_EQ(stream->next().lines, whole[i].lines);
    }
  }
}

TEST_F(BatchStreams, OnDiskNeighborsComeFromEverywhere) {
  const TrainingPairs pairs = ids(0);
  EXPECT_GT(shuffle_parts(pairs, {size_t{1} << 19, folder()}), 3);
  const auto stream = open(pairs);
  // A batch's mean line number is near the middle of the corpus: within 4.5 standard deviations.
  for (int i = 0; i < 50; ++i) {
    const Batch& batch = stream->next();
    double mean = 0;
    for (const int64_t line : batch.lines) mean += double(line) / double(batch.sequences());
    EXPECT_NEAR(mean, kPairs / 2.0, 4.5 * kPairs / std::sqrt(12.0 * double(batch.sequences())));
  }
}

TEST_F(BatchStreams, OtherSeedsGiveOtherOrders) {
  for (const TrainingPairs& pairs : every_kind()) {
    const auto a = open_batches(pairs, {1000, 20, 1}, {1 << 19, folder()});
    const auto b = open_batches(pairs, {1000, 20, 2}, {1 << 19, folder()});
    EXPECT_NE(a->next().lines, b->next().lines);
  }
}

TEST_F(BatchStreams, WeightsSayHowOftenAPairIsSeen) {
  for (const size_t memory : {size_t{1} << 30, size_t{0}}) {
    TrainingPairs pairs = ids(memory, 3000, 3);
    pairs.weights = {1, 2.5, 0.25};
    const auto batches = read(*open(pairs), 4);
    std::map<int64_t, int> all;
    int halves = 0;
    for (int64_t epoch = 0; epoch < 4; ++epoch) {
      for (const auto& [line, count] : count_lines(batches, epoch)) {
        all[line] += count;
        EXPECT_TRUE(line % 3 != 1 || count == 1) << count;
        EXPECT_TRUE(line % 3 != 2 || count == 2 || count == 3) << count;
        halves += epoch == 0 && line % 3 == 2 && count == 3;
      }
    }
    for (int64_t line = 1; line <= 3000; ++line) EXPECT_EQ(all[line], line % 3 == 1 ? 4 : line % 3 == 2 ? 10 : 1);
    EXPECT_NEAR(halves, 500, 75);
  }
}

TEST_F(BatchStreams, WeightsThatLeaveNothingAreAnError) {
  for (const size_t memory : {size_t{1} << 30, size_t{0}}) {
    TrainingPairs pairs = ids(memory, 3);
    pairs.weights = {1e-9};
    EXPECT_THAT(what_of<DataError>([&] { open(pairs)->next(); }), HasSubstr("epoch 1 has no pairs"));
  }
}

TEST_F(BatchStreams, SubwordsAreDrawnAnewEachEpoch) {
  const TrainingPairs pairs = text(1 << 30, 2000);
  std::map<int64_t, std::set<size_t>> lengths;
  std::map<int64_t, std::string> spelled;
  const auto stream = open(pairs);
  for (int epoch = 0; epoch < 4;) {
    const Batch& b = stream->next();
    for (int64_t i = 0; i < b.sequences(); ++i) {
      const std::span<const int32_t> ids(b.source.data() + b.source_offsets[i],
                                         b.source.data() + b.source_offsets[i + 1]);
      EXPECT_EQ(ids.back(), vocabulary().eos());
      EXPECT_LE(ids.size(), 20u);
      lengths[b.lines[i]].insert(ids.size());
      const auto [text, is_new] = spelled.emplace(b.lines[i], vocabulary().decode(ids));
      EXPECT_EQ(text->second, vocabulary().decode(ids));
    }
    epoch += stream->epoch_ended();
  }
  EXPECT_GT(std::count_if(lengths.begin(), lengths.end(), [](const auto& l) { return l.second.size() > 1; }), 1000);
}

TEST_F(BatchStreams, WhereADrawIsTooLongTheBestStandsIn) {
  const TrainingPairs pairs = text(1 << 30, 200);
  const auto stream = open_batches(pairs, {.batch_tokens = 1000, .max_length = 5, .seed = 9});
  do {
    const Batch& b = stream->next();
    for (int64_t i = 0; i < b.sequences(); ++i) EXPECT_LE(b.target_offsets[i + 1] - b.target_offsets[i], 5);
  } while (!stream->epoch_ended());
}

TEST_F(BatchStreams, TheLargestIsAsLargeAsAny) {
  for (const TrainingPairs& pairs : every_kind()) {
    const auto stream = open(pairs);
    const Batch largest = stream->largest();
    for (int i = 0; i < 100; ++i) {
      const Batch& b = stream->next();
      EXPECT_LE(b.source_tokens() + 2 * (b.target_tokens() - b.sequences()),
                largest.source_tokens() + 2 * (largest.target_tokens() - largest.sequences()));
    }
  }
}

TEST_F(BatchStreams, ASmallTextFillsNoLargeBatch) {
  const auto stream = open_batches(text(1 << 30, 200), {.batch_tokens = 100'000, .max_length = 256, .seed = 9});
  const Batch largest = stream->largest();
  int64_t sources = 0, targets = 0;
  do {
    const Batch& b = stream->next();
    sources += b.source_tokens(), targets += b.target_tokens();
  } while (!stream->epoch_ended());
  EXPECT_THAT(double(largest.source_tokens()) / double(sources), testing::AllOf(testing::Ge(1), testing::Le(1.5)));
  EXPECT_THAT(double(largest.target_tokens()) / double(targets), testing::AllOf(testing::Ge(1), testing::Le(1.5)));
}

// Three windows, each as long as the text.
TEST_F(BatchStreams, TheMemoryOfWindowsIsKnown) {
  EXPECT_EQ(open(ids(1 << 30, 200))->memory(), 0u) << "the pairs are there anyway";
  for (const TrainingPairs& pairs : {text(1 << 30, 200), ids(0, 200)}) {
    const auto stream = open(pairs);
    size_t ids_of_epoch = 0;
    do {
      const Batch& b = stream->next();
      ids_of_epoch += static_cast<size_t>(b.source_tokens() + b.target_tokens());
    } while (!stream->epoch_ended());
    EXPECT_GE(stream->memory(), 3 * (200 * sizeof(Example) + ids_of_epoch * sizeof(int32_t)));
    EXPECT_LE(stream->memory(), 3 * (200 * (sizeof(Example) + 80) + 2 * ids_of_epoch * sizeof(int32_t)));
  }
}

TEST_F(BatchStreams, AFullDiskIsOneClearError) {
  const TrainingPairs pairs = ids(0, 2000);
  const FileSizeLimit limit(5000);
  EXPECT_THAT(what_of<RunError>([&] { open(pairs)->next(); }), HasSubstr("`temp-dir`"));
}

TEST_F(BatchStreams, MayBeLeftAtAnyTime) {
  for (const TrainingPairs& pairs : every_kind()) {
    open(pairs);
    open(pairs)->next();
    const auto stream = open(pairs);
    for (int i = 0; i < 150; ++i) stream->next();
  }
}

TEST(TimesInEpoch, AreEvenOverTheEpochs) {
  for (const double weight : {0.1, 0.5, 1.0, 1.3, 2.75, 3.0})
    for (int64_t number = 0; number < 200; ++number) {
      int64_t sum = 0;
      for (int64_t epoch = 0; epoch < 40; ++epoch) {
        sum += times_in_epoch(weight, 1, number, epoch);
        EXPECT_LT(std::abs(double(sum) - weight * double(epoch + 1)), 1 + 1e-9);
      }
    }
}

TEST(NameLines, SayWhichSet) {
  Batch batch;
  batch.lines = {3, 7, 5};
  batch.corpora = {0, 0, 1};
  const std::vector<std::string> two{"a.en + a.de", "b.tsv"};
  EXPECT_EQ(name_lines({&batch, 1}, two), "lines 3, 7 of a.en + a.de; 5 of b.tsv");
  batch.corpora = {0, 0, 0};
  EXPECT_EQ(name_lines({&batch, 1}, {}), "lines 3, 7, 5");
}

}  // namespace
}  // namespace hexapla::data
