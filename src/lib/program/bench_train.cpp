#include <cmath>
#include <numeric>

#include "backend/context.h"
#include "backend/cpu/cpu.h"
#include "backend/decorators/products_only.h"
#include "backend/device/device.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "data/made_up_ids.h"
#include "lib/program/bench.h"
#include "lib/program/bench_numbers.h"
#include "train/automatic/made_up_training.h"
#include "train/loop/learner.h"

namespace hexapla::api {
namespace {

using Pairs = std::vector<data::Example>;

constexpr int64_t kLongest = 128;  // tokens of a side

// Lengths typical of news (wmt) or picture captions (multi30k); targets are about 5 % longer.
int64_t source_length(Random& random, const std::string& lengths) {
  if (lengths == "wmt") return std::clamp<int64_t>(std::llround(std::exp(3.25 + 0.55 * random.normal())), 2, 119);
  return std::clamp<int64_t>(std::llround(14.5 + 4.5 * random.normal()), 4, 45);
}

// Batches of similar lengths, at most `tokens` target tokens each, in random order.
std::vector<Pairs> make_batches(const std::string& lengths, int64_t vocabulary, int64_t tokens, size_t most) {
  Random random(1);
  Pairs pool;
  for (int i = 0; i < 20000; ++i) {
    const int64_t s = source_length(random, lengths);
    const int64_t t =
        std::clamp<int64_t>(std::llround(static_cast<double>(s) * (1.05 + 0.15 * random.normal())), 2, 119);
    pool.push_back({text::Ids(static_cast<size_t>(s)), text::Ids(static_cast<size_t>(t))});
  }
  std::stable_sort(pool.begin(), pool.end(), [](const data::Example& a, const data::Example& b) {
    return std::pair(a.target.size(), a.source.size()) < std::pair(b.target.size(), b.source.size());
  });
  std::vector<Pairs> batches;
  int64_t held = tokens;
  for (data::Example& p : pool) {
    const auto n = std::ssize(p.target) + 1;
    if (held + n > tokens) batches.emplace_back(), held = 0;
    batches.back().push_back(std::move(p));
    held += n;
  }
  random.shuffle(batches);
  batches.resize(std::min(batches.size(), most));
  for (auto& batch : batches)
    for (data::Example& p : batch) {
      p.source = data::made_up_ids(random, std::ssize(p.source), vocabulary);
      p.target = data::made_up_ids(random, std::ssize(p.target), vocabulary);
    }
  return batches;
}

void write_batches(const std::string& path, const std::vector<Pairs>& batches) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& batch : batches) {
    nlohmann::json pairs = nlohmann::json::array();
    for (const data::Example& p : batch) pairs.push_back({p.source, p.target});
    all.push_back(std::move(pairs));
  }
  write_file_atomically(path, json_text(all));
}

// The batches as a training's data.
train::TrainingData data_of(const std::vector<Pairs>& batches, int64_t vocabulary) {
  Pairs all;
  for (const Pairs& batch : batches)
    for (const data::Example& p : batch) all.push_back(p), all.back().source.push_back(2);
  const text::Vocabulary pieces = train::made_up_vocabulary(vocabulary);
  return {{data::store_examples(all), pieces, pieces}};
}

std::vector<train::UpdateBatches> updates_of(const std::vector<Pairs>& batches, const text::Vocabulary& pieces) {
  std::vector<train::UpdateBatches> updates;
  for (Pairs batch : batches) {
    for (data::Example& p : batch) p.source.push_back(2);
    std::vector<int32_t> indices(batch.size());
    std::iota(indices.begin(), indices.end(), 0);
    data::Batch one = data::make_batch(pieces, batch, indices);
    const int64_t tokens = one.target_tokens();
    updates.push_back({{{0, {std::move(one)}}}, tokens});
  }
  return updates;
}

// Trains like `hexapla train`, without reading text and without logs.
class Training {
 public:
  Training(const train::TrainOptions& options, const train::TrainingData& data, Backend& backend, Backend& products)
      : options_(options),
        learner_(options, data, backend),
        replay_arena_(make_arena(products, learner_.context().arena.capacity())),
        replay_{products, replay_arena_, DType::f32, true} {
    learner_.initialize();
  }
  // -> seconds
  double step(const train::UpdateBatches& batches) {
    const auto start = std::chrono::steady_clock::now();
    learner_.accumulate_gradient(batches, static_cast<uint32_t>(++updates_));
    learner_.update(updates_, 1, learner_.gradient_norm());
    finish();
    return seconds_since(start);
  }
  // Only the matrix products of the same step.
  double replay(const train::UpdateBatches& batches) {
    const auto start = std::chrono::steady_clock::now();
    fill(replay_, learner_.parameters().gradients(), 0);
    loss_and_gradient(replay_, learner_.model(), batches.shards[0].batches[0], objective_of(options_),
                      1.0 / static_cast<double>(batches.tokens), saved_);
    replay_.arena.clear();
    finish();
    return seconds_since(start);
  }

 private:
  // Waits for what a device has in its queue.
  void finish() {
    std::byte one[sizeof(float)];
    replay_.backend.copy_to_host(learner_.parameters().gradients().bytes, one, sizeof one);
  }

  const train::TrainOptions& options_;
  train::Learner learner_;
  Arena replay_arena_;
  Context replay_;
  model::Transformer::Saved saved_;
  int64_t updates_ = 0;
};

train::TrainOptions options_of(const TrainBench& o, const std::string& precision) {
  train::TrainOptions options;
  model::Config& c = options.architecture = model_of(o.preset, o.vocabulary);
  c.dropout = c.attention_dropout = c.activation_dropout = o.dropout;
  options.lr = 1e-4;
  options.batch_tokens = o.tokens;
  options.max_length = kLongest;
  options.precision = precision;
  return options;
}

}  // namespace

MeasuredTraining bench_train(const TrainBench& o) {
  const Precision p = parse_precision(o.precision, o.device);
  const train::TrainOptions options = options_of(o, name_of(p));
  const auto backend = make_backend(p, o.device);
  const auto products = make_products_only(*backend);
  const std::vector<Pairs> batches = make_batches(o.lengths, o.vocabulary, o.tokens, 200);
  if (!o.batches_file.empty()) write_batches(o.batches_file, batches);
  const train::TrainingData data = data_of(batches, o.vocabulary);
  const std::vector<train::UpdateBatches> updates = updates_of(batches, data.pairs.target);
  Training training(options, data, *backend, *products);
  for (size_t i = 0; i < 4; ++i) training.step(updates[i]), training.replay(updates[i]);
  std::vector<double> rates, fractions;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 4; rates.size() < 5 || seconds_since(start) < o.seconds; ++i) {
    const train::UpdateBatches& update = updates[i % updates.size()];
    const double whole = training.step(update), alone = training.replay(update);
    rates.push_back(static_cast<double>(update.tokens) / whole);
    fractions.push_back(alone / whole);
  }
  return {median(rates), median(fractions), rates.size(), name_of(p), product_implementation(*backend)};
}

}  // namespace hexapla::api
