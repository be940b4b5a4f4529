#include "data/batches/window.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"

namespace hexapla::data {
namespace {

// Separate this file's random streams from those of others with the same seed.
constexpr uint64_t kPartStream = 0x7061727473000000, kWindowStream = 0x77696E646F770000,
                   kSegmentStream = 0x7365676D656E7400, kMeansStream = 0x6D65616E73000000;
// Large enough for batches as random as those of the whole corpus, small enough to be ready soon.
constexpr int64_t kWindowPairs = 16'384;

text::Ids sampled(const text::SubwordSampler& sampler, const text::Vocabulary& vocabulary, std::string_view text,
                  Random& random, size_t longest) {
  text::Ids ids = sampler.sample(text, random);
  return ids.empty() || ids.size() > longest ? vocabulary.encode(text) : ids;
}

// Selects the random numbers of a window in its epoch. Existing runs depend on this value.
int64_t number_of(const WindowPosition& w) { return w.part << 16 | w.number; }

// Per pair in addition to its example: its sizes, its place in the order and in the plan.
constexpr size_t kBytesToPlan = sizeof(PairSize) + 3 * sizeof(int32_t);

size_t bytes_of_example(const Example& e) {
  constexpr size_t allocation = 16;  // allocator overhead
  return sizeof(Example) + (e.source.capacity() + e.target.capacity()) * sizeof(int32_t) +
         e.links.capacity() * sizeof(Link) + 2 * allocation;
}

}  // namespace

int64_t Window::pairs() const {
  return std::accumulate(plan.begin(), plan.end(), int64_t{0},
                         [](int64_t sum, const auto& indices) { return sum + std::ssize(indices); });
}

Batch Window::batch(const text::Vocabulary& target, size_t i) const {
  if (!table) return make_batch(target, examples, plan[i]);
  std::vector<Example> some;
  for (const int32_t index : plan[i]) some.push_back(unpack_example((*table)[index]));
  std::vector<int32_t> indices(some.size());
  std::iota(indices.begin(), indices.end(), 0);
  return make_batch(target, some, indices);
}

WindowMaker::WindowMaker(const TrainingPairs& pairs, const Batching& options, const ShuffleSpace& space)
    : options_(options),
      store_(pairs.store),
      most_weight_(*std::max_element(pairs.weights.begin(), pairs.weights.end())),
      source_(pairs.source),
      target_(pairs.target),
      parts_(open_parts(pairs, options.seed, space)),
      whole_(pairs.store->in_memory() && pairs.subword_alpha == 0),
      window_pairs_(std::max(kWindowPairs, 4 * options.batch_tokens)) {
  if (pairs.subword_alpha == 0) return;
  source_sampler_.emplace(source_, pairs.subword_alpha);
  target_sampler_.emplace(target_, pairs.subword_alpha);
}

int64_t WindowMaker::pairs_of_epoch() const {
  return static_cast<int64_t>(static_cast<double>(store_->pairs()) * std::ceil(most_weight_));
}

int64_t WindowMaker::most_pairs() const {
  return whole_ ? pairs_of_epoch() : std::min(pairs_of_epoch(), window_pairs_);
}

PairMeans WindowMaker::means() const {
  constexpr int64_t wanted = 1000;
  const int64_t blocks = static_cast<int64_t>(store_->blocks()), read = std::min<int64_t>(blocks, 8);
  const int64_t every = 1 + store_->pairs() * read / blocks / wanted;
  Random random(options_.seed, kMeansStream);
  PairMeans sum;
  int64_t seen = 0, taken = 0;
  for (int64_t i = 0; i < read; ++i) {
    const PairBlock held = store_->block(static_cast<size_t>(i * blocks / read));
    for (std::string_view left = *held; !left.empty();) {
      const PackedPair pair = take_pair(left);
      if (seen++ % every != 0) continue;
      const Example e = example(pair, random);
      sum.source += static_cast<double>(e.source.size());
      sum.target += static_cast<double>(e.target.size() + 1);
      sum.bytes += static_cast<double>(bytes_of_example(e) + kBytesToPlan);
      ++taken;
    }
  }
  const double n = static_cast<double>(std::max<int64_t>(taken, 1));
  return {sum.source / n, sum.target / n, sum.bytes / n};
}

void WindowMaker::seek(int64_t epoch, const WindowPosition& window) {
  epoch_ = epoch;
  next_ = window;
  loaded_ = {};
}

// Random numbers for one purpose in this epoch.
Random WindowMaker::random(uint64_t stream, int64_t number) const {
  return Random(options_.seed, stream ^ (static_cast<uint64_t>(epoch_) << 31) ^ static_cast<uint64_t>(number));
}

void WindowMaker::load(std::stop_token stop) {
  if (loaded_.table) return;
  epoch_pairs_ = parts_->pairs_before(epoch_, parts_->count(), stop);
  if (epoch_pairs_ == 0)
    throw DataError(cat("epoch ", epoch_ + 1, " has no pairs: raise `train-weights`, or give more text"));
  before_ = parts_->pairs_before(epoch_, next_.part, stop);
  loaded_ = parts_->load(epoch_, next_.part, stop);
  if (!whole_) random(kPartStream, next_.part).shuffle(loaded_.order);
}

Window WindowMaker::next(std::stop_token stop) {
  for (;;) {
    load(stop);
    const auto pairs = std::ssize(loaded_.order);
    const int64_t from = whole_ ? 0 : next_.number * window_pairs_,
                  to = whole_ ? pairs : std::min(pairs, from + window_pairs_);
    const bool here = from < pairs && !(whole_ && next_.number > 0);
    if (here) {
      Window w = whole_ ? plan_whole() : cut(from, to);
      w.epoch = epoch_;
      w.position = next_;
      ++next_.number;
      w.before = before_ + from;
      w.epoch_pairs = epoch_pairs_;
      w.last = before_ + to == epoch_pairs_;
      if (!w.last) return w;
      seek(epoch_ + 1, {});
      return w;
    }
    seek(epoch_, {next_.part + 1, 0});
  }
}

Window WindowMaker::plan_whole() {
  Window w;
  w.table = loaded_.table;
  sizes_.reserve(static_cast<size_t>(w.table->size()));
  for (auto i = std::ssize(sizes_); i < w.table->size(); ++i) {
    const PackedPair pair = (*w.table)[i];
    sizes_.push_back({static_cast<int32_t>(count_ids(pair.source)), static_cast<int32_t>(count_ids(pair.target)) + 1});
  }
  Random order = plan_random(options_.seed, epoch_);
  w.plan = plan_batches(sizes_, std::move(loaded_.order), options_.batch_tokens, order);
  return w;
}

Window WindowMaker::cut(int64_t from, int64_t to) {
  Window w;
  Random segments = random(kSegmentStream, number_of(next_));
  std::vector<PairSize> sizes;
  for (int64_t i = from; i < to; ++i) {
    w.examples.push_back(example((*loaded_.table)[loaded_.order[i]], segments));
    const Example& e = w.examples.back();
    sizes.push_back({static_cast<int32_t>(e.source.size()), static_cast<int32_t>(e.target.size()) + 1});
  }
  std::vector<int32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  Random planning = random(kWindowStream, number_of(next_));
  w.plan = plan_batches(sizes, std::move(order), options_.batch_tokens, planning);
  return w;
}

Example WindowMaker::example(const PackedPair& pair, Random& random) const {
  if (!source_sampler_) return unpack_example(pair);
  const auto longest = static_cast<size_t>(options_.max_length - 1);  // </s> is added
  Example e{sampled(*source_sampler_, source_, pair.source, random, longest),
            sampled(*target_sampler_, target_, pair.target, random, longest), pair.line, pair.corpus};
  source_.end_source(e.source);
  return e;
}

}  // namespace hexapla::data
