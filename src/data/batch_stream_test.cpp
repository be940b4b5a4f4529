#include "data/batch_stream.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace hexapla {
namespace {

const Vocabulary& vocabulary() {
  static const Vocabulary v = Vocabulary::train(std::vector<std::string>(40, "a b c d e f g"), {.size = 20});
  return v;
}

std::vector<Example> examples(int count) {
  std::vector<Example> all;
  for (int i = 0; i < count; ++i)
    all.push_back({Ids(static_cast<size_t>(1 + i % 7), 5 + i % 3), Ids(static_cast<size_t>(1 + i % 5), 6), i + 1});
  return all;
}

using Lines = std::vector<int64_t>;

TEST(BatchStream, GivesWhatThePlanSays) {
  const auto all = examples(50);
  const Batching options{.batch_tokens = 16, .seed = 9};
  const auto stream = stream_from_memory(vocabulary(), all, options);
  EXPECT_EQ(stream->pairs(), 50);
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    const auto plan = plan_epoch(all, options, epoch);
    for (size_t i = 0; i < plan.size(); ++i) {
      const Batch& batch = stream->next();
      EXPECT_EQ(batch.source, make_batch(vocabulary(), all, plan[i]).source);
      EXPECT_EQ(stream->epoch_ended(), i + 1 == plan.size());
      EXPECT_EQ(stream->batches(), static_cast<int64_t>(plan.size()));
    }
  }
}

TEST(BatchStream, GoesOnFromAnyPlace) {
  const auto all = examples(50);
  const Batching options{.batch_tokens = 16, .seed = 9};
  std::vector<std::tuple<int64_t, int64_t, Lines>> places;
  const auto whole = stream_from_memory(vocabulary(), all, options);
  for (int64_t epoch = 0, place = 0; epoch < 3;) {
    places.emplace_back(epoch, place, whole->next().lines);
    if (whole->epoch_ended())
      ++epoch, place = 0;
    else
      ++place;
  }
  for (size_t from = 0; from < places.size(); from += 3) {
    const auto stream = stream_from_memory(vocabulary(), all, options);
    stream->seek(std::get<0>(places[from]), std::get<1>(places[from]));
    for (size_t i = from; i < places.size(); ++i) ASSERT_EQ(stream->next().lines, std::get<2>(places[i]));
  }
}

TEST(BatchStream, TheLargestIsAsLargeAsAny) {
  const auto all = examples(50);
  const auto stream = stream_from_memory(vocabulary(), all, {.batch_tokens = 16, .seed = 9});
  auto weight = [](const Batch& b) { return b.source_tokens() + 2 * (b.target_tokens() - b.sequences()); };
  const int64_t largest = weight(stream->largest());
  int64_t seen = 0;
  do {
    seen = std::max(seen, weight(stream->next()));
  } while (!stream->epoch_ended());
  EXPECT_EQ(largest, seen);
}

}  // namespace
}  // namespace hexapla
