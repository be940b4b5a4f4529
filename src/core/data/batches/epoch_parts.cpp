#include "data/batches/epoch_parts.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <numeric>

#include "base/compute/random.h"

namespace hexapla::data {
namespace {

// Separate this file's random streams from those of others with the same seed.
constexpr uint64_t kTimesStream = 0x74696D6573000000, kScatterStream = 0x7363617474657200;
constexpr size_t kLargestChunk = size_t{1} << 20, kSmallestChunk = size_t{16} << 10;

double total_weight(const TrainingPairs& pairs) {
  double most = 0;
  for (const double w : pairs.weights) most = std::max(most, w);
  return most;
}

class MemoryParts : public EpochParts {
 public:
  MemoryParts(const TrainingPairs& pairs, uint64_t seed)
      : weights_(pairs.weights),
        all_once_(std::all_of(weights_.begin(), weights_.end(), [](double w) { return w == 1; })),
        seed_(seed) {
    table_->reserve(pairs.store->pairs());
    for (size_t i = 0; i < pairs.store->blocks(); ++i) table_->add(pairs.store->block(i));
  }
  int64_t count() const override { return 1; }
  int64_t pairs_before(int64_t epoch, int64_t part, std::stop_token) override { return part == 0 ? 0 : size(epoch); }
  EpochPart load(int64_t epoch, int64_t, std::stop_token) override { return {table_, order(epoch)}; }

 private:
  std::vector<int32_t> order(int64_t epoch) const {
    std::vector<int32_t> chosen;
    chosen.reserve(static_cast<size_t>(size(epoch)));
    for (int64_t i = 0; i < table_->size(); ++i)
      chosen.insert(chosen.end(), static_cast<size_t>(times(i, epoch)), static_cast<int32_t>(i));
    return chosen;
  }
  int64_t size(int64_t epoch) const {
    if (all_once_) return table_->size();
    int64_t sum = 0;
    for (int64_t i = 0; i < table_->size(); ++i) sum += times(i, epoch);
    return sum;
  }
  int64_t times(int64_t i, int64_t epoch) const {
    return all_once_ ? 1 : times_in_epoch(weights_.at(static_cast<size_t>((*table_)[i].corpus)), seed_, i, epoch);
  }
  std::shared_ptr<PairTable> table_ = std::make_shared<PairTable>();
  std::vector<double> weights_;
  bool all_once_;
  uint64_t seed_;
};

// One epoch, scattered at random into buckets, whose pairs are in several chunks of one file.
struct Scattered {
  struct Bucket {
    std::string open;
    std::vector<std::pair<uint64_t, size_t>> chunks;
    int64_t pairs = 0;
  };
  Scattered(const std::string& folder, int64_t count) : file(folder), buckets(static_cast<size_t>(count)) {}

  void add(size_t bucket, const PackedPair& pair, size_t chunk) {
    Bucket& b = buckets[bucket];
    append_pair(b.open, pair);
    ++b.pairs;
    if (b.open.size() >= chunk) flush(b);
  }
  void flush(Bucket& b) {
    if (b.open.empty()) return;
    b.chunks.emplace_back(file.append(b.open), b.open.size());
    b.open.clear();
  }
  TemporaryFile file;
  std::vector<Bucket> buckets;
};

// Scatters the next epoch in its own thread while the second half of an epoch's buckets is read.
class DiskParts : public EpochParts {
 public:
  DiskParts(const TrainingPairs& pairs, uint64_t seed, ShuffleSpace space)
      : pairs_(pairs), seed_(seed), space_(std::move(space)), count_(shuffle_parts(pairs, space_)) {}
  ~DiskParts() override { forget_next(); }

  int64_t count() const override { return count_; }
  int64_t pairs_before(int64_t epoch, int64_t part, std::stop_token stop) override {
    const Scattered& s = scattered(epoch, stop);
    return std::accumulate(s.buckets.begin(), s.buckets.begin() + part, int64_t{0},
                           [](int64_t sum, const auto& b) { return sum + b.pairs; });
  }
  EpochPart load(int64_t epoch, int64_t part, std::stop_token stop) override {
    const Scattered& s = scattered(epoch, stop);
    auto table = std::make_shared<PairTable>();
    table->reserve(s.buckets[part].pairs);
    for (const auto& [offset, size] : s.buckets[part].chunks) {
      if (stop.stop_requested()) throw Stopped();
      auto chunk = std::make_shared<std::string>();
      s.file.read(offset, size, *chunk);
      table->add(std::move(chunk));
    }
    std::vector<int32_t> order(static_cast<size_t>(table->size()));
    std::iota(order.begin(), order.end(), 0);
    if (2 * part >= count_) begin_next(epoch + 1);
    return {std::move(table), std::move(order)};
  }

 private:
  const Scattered& scattered(int64_t epoch, std::stop_token stop) {
    if (now_ && epoch_ == epoch) return *now_;
    now_.reset();  // frees its disk space before more is taken
    if (next_.valid() && next_epoch_ == epoch) {
      now_ = next_.get();
    } else {
      forget_next();
      now_ = scatter(epoch, stop);
    }
    epoch_ = epoch;
    return *now_;
  }
  void begin_next(int64_t epoch) {
    if (next_.valid() && next_epoch_ == epoch) return;
    forget_next();
    next_epoch_ = epoch;
    stop_next_ = {};
    next_ =
        std::async(std::launch::async, [this, epoch, stop = stop_next_.get_token()] { return scatter(epoch, stop); });
  }
  void forget_next() {
    stop_next_.request_stop();
    if (next_.valid()) next_.wait();
    next_ = {};
  }

  std::unique_ptr<Scattered> scatter(int64_t epoch, std::stop_token stop) const {
    auto all = std::make_unique<Scattered>(space_.folder, count_);
    const size_t chunk = std::clamp(space_.memory / 8 / static_cast<size_t>(count_), kSmallestChunk, kLargestChunk);
    Random random(seed_, kScatterStream ^ static_cast<uint64_t>(epoch));
    int64_t number = 0;
    pairs_.store->for_each([&](const PackedPair& pair) {
      if ((number & 1023) == 0 && stop.stop_requested()) throw Stopped();
      const double weight = pairs_.weights.at(static_cast<size_t>(pair.corpus));
      for (int64_t n = times_in_epoch(weight, seed_, number++, epoch); n > 0; --n)
        all->add(random.below(static_cast<uint32_t>(count_)), pair, chunk);
    });
    for (auto& bucket : all->buckets) {
      all->flush(bucket);
      bucket.open.shrink_to_fit();
    }
    return all;
  }

  TrainingPairs pairs_;
  uint64_t seed_;
  ShuffleSpace space_;
  int64_t count_;
  int64_t epoch_ = -1, next_epoch_ = -1;
  std::unique_ptr<Scattered> now_;
  std::future<std::unique_ptr<Scattered>> next_;
  std::stop_source stop_next_;
};

}  // namespace

int64_t times_in_epoch(double weight, uint64_t seed, int64_t number, int64_t epoch) {
  if (weight == std::floor(weight)) return static_cast<int64_t>(weight);
  const double phase = Random(seed, kTimesStream ^ static_cast<uint64_t>(number)).uniform();
  const auto n = static_cast<double>(epoch);
  return static_cast<int64_t>(std::floor((n + 1) * weight + phase) - std::floor(n * weight + phase));
}

// Half the memory is for a part, less an eighth because random parts differ in size. The other half
// is for segmenting ahead and for output buffers.
int64_t shuffle_parts(const TrainingPairs& pairs, const ShuffleSpace& space) {
  if (pairs.store->in_memory()) return 1;
  const double bytes = static_cast<double>(pairs.store->bytes()) * std::max(1.0, total_weight(pairs));
  const double part = static_cast<double>(std::max(space.memory, size_t{1} << 10)) / 2 * 7 / 8;
  return std::clamp<int64_t>(static_cast<int64_t>(std::ceil(bytes / part)), 2, 1 << 15);
}

std::unique_ptr<EpochParts> open_parts(const TrainingPairs& pairs, uint64_t seed, const ShuffleSpace& space) {
  if (pairs.store->in_memory()) return std::make_unique<MemoryParts>(pairs, seed);
  return std::make_unique<DiskParts>(pairs, seed, space);
}

}  // namespace hexapla::data
