#include "train/feed/update_batches.h"

#include <cstring>
#include <numeric>

#include "base/error.h"

namespace hexapla::train {
namespace {

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> values_in(const std::string& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// Calls f(vector) for each vector of a batch, in a fixed order.
template <class B, class F>
void visit(B& b, F&& f) {
  f(b.source), f(b.source_offsets), f(b.target_in), f(b.target_out), f(b.target_offsets);
  f(b.lines), f(b.corpora), f(b.link_offsets), f(b.linked);
}

std::string pack_batch(const data::Batch& batch) {
  std::vector<std::string> texts;
  visit(batch, [&](const auto& values) { texts.push_back(bytes_of_values(values)); });
  return cluster::pack(texts);
}

data::Batch unpack_batch(const std::string& packed) {
  const std::vector<std::string> texts = cluster::unpack(packed);
  data::Batch batch;
  size_t next = 0;
  visit(batch, [&]<class T>(std::vector<T>& values) { values = values_in<T>(texts.at(next++)); });
  return batch;
}

int64_t tokens_of(const std::vector<data::Batch>& batches) {
  return std::accumulate(batches.begin(), batches.end(), int64_t{0},
                         [](int64_t sum, const data::Batch& b) { return sum + b.target_tokens(); });
}

}  // namespace

UpdateStream::UpdateStream(const TrainingData& data, const TrainOptions& o)
    : processes_(*data.processes),
      own_(cluster::own_share(processes_, o.shards)),
      telling_(processes_, [&](int p) { return cluster::share_of(o.shards, p, processes_.count()).size(); }) {
  for (int64_t shard = own_.from; shard < own_.to; ++shard) {
    // Each shard shuffles its own lines with its own seed.
    const uint64_t seed = o.seed + (static_cast<uint64_t>(shard) << 32);
    const data::TrainingPairs pairs = pairs_of_shard(data, shards_.size());
    shards_.push_back({data::open_batches(pairs, {o.batch_tokens, o.max_length, seed}, data.space),
                       static_cast<size_t>(cluster::share_of(o.accumulate, shard, o.shards).size()), false});
  }
  now_.shards.resize(shards_.size());
}

void UpdateStream::seek(const RunState& state) {
  ended_ = false;
  for (size_t i = 0; i < shards_.size(); ++i) {
    const auto number = static_cast<size_t>(own_.from) + i;
    const std::optional<data::BatchPosition> place = state.places.empty() ? state.position : state.places.at(number);
    shards_[i].ended = !place;
    shards_[i].stream->seek(place ? state.epoch : state.epoch + 1, place.value_or(data::BatchPosition{}));
  }
}

UpdateStream::Told UpdateStream::draw(Shard& shard, ShardBatches& to) {
  to.batches.clear();
  if (shard.ended) return {0, 0, 1, {}};
  do to.batches.push_back(shard.stream->next());
  while (to.batches.size() < shard.batches && !shard.stream->epoch_ended());
  shard.ended = shard.stream->epoch_ended();
  return {std::ssize(to.batches), tokens_of(to.batches), shard.ended, shard.stream->position()};
}

const UpdateBatches& UpdateStream::draw() {
  for (size_t i = 0; i < shards_.size(); ++i) {
    if (ended_) shards_[i].ended = false;
    telling_.own()[i] = draw(shards_[i], now_.shards[i]);
  }
  told_ = telling_.exchange(processes_);
  now_.tokens = 0;
  ended_ = true;
  int64_t batches = 0;
  for (size_t shard = 0; shard < told_.size(); ++shard) {
    const auto number = static_cast<int64_t>(shard) - own_.from;
    if (number >= 0 && number < own_.size()) now_.shards[number].first = batches;
    batches += told_[shard].batches;
    now_.tokens += told_[shard].tokens;
    ended_ &= told_[shard].ended != 0;
  }
  return now_;
}

void UpdateStream::record(RunState& state) const {
  state.position = {};
  state.places.clear();
  if (ended_) {
    ++state.epoch;
  } else if (told_.size() == 1) {
    state.position = told_.front().position;
  } else {
    for (const Told& shard : told_) {
      state.places.emplace_back();
      if (!shard.ended) state.places.back() = shard.position;
    }
  }
}

double UpdateStream::epochs() const {
  double sum = 0;
  for (const Shard& shard : shards_) sum += shard.stream->epochs();
  return sum / static_cast<double>(shards_.size());
}

int64_t UpdateStream::batches() const {
  int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.stream->batches();
  return sum;
}

int64_t UpdateStream::pairs() const {
  int64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.stream->pairs();
  return sum;
}

data::Batch UpdateStream::largest() {
  data::Batch largest;
  const auto size = [](const data::Batch& b) { return b.source_tokens() + 2 * b.target_tokens(); };
  for (Shard& shard : shards_)
    if (data::Batch batch = shard.stream->largest(); size(batch) > size(largest)) largest = std::move(batch);
  return largest;
}

size_t UpdateStream::memory() const {
  size_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.stream->memory();
  return sum;
}

std::vector<data::Batch> UpdateStream::all_batches() {
  std::vector<std::string> own;
  for (const ShardBatches& shard : now_.shards)
    for (const data::Batch& batch : shard.batches) own.push_back(pack_batch(batch));
  std::vector<data::Batch> all;
  for (const std::string& texts : cluster::gather(processes_, cluster::pack(own)))
    for (const std::string& text : cluster::unpack(texts)) all.push_back(unpack_batch(text));
  return all;
}

}  // namespace hexapla::train
