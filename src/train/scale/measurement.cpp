#include "train/scale/measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "data/made_up_ids.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "train/cluster/rounded.h"
#include "train/cluster/tree.h"
#include "train/loop/learner.h"
#include "train/shards/layer_segments.h"

namespace hexapla::train::scale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kLongest = 128;  // tokens per sentence
constexpr int kWarmUp = 2, kMostUpdates = 200, kFewestUpdates = 5;

train::TrainOptions options_of(const Workload& load, int64_t shards, Sums sums) {
  train::TrainOptions o;
  o.preset = load.preset;
  o.architecture = model::Config::preset(load.preset);
  o.batch_tokens = load.tokens;
  o.precision = load.precision;
  o.max_length = kLongest;
  o.accumulate = o.shards = shards;
  o.lr = 1e-4;
  o.max_updates = kMostUpdates;
  o.overlap = "off";
  if (sums == Sums::beside_step) o.overlap = "on";
  return o;
}

// Number of updates that take about this long on the first process; the same in all processes.
int64_t updates_in(double seconds, double of_one, cluster::Processes& p) {
  const auto own = static_cast<int64_t>(seconds / std::max(of_one, 1e-6));
  return cluster::of_first(p, std::clamp<int64_t>(own, kFewestUpdates, kMostUpdates));
}

// Concatenates the measurements of all processes.
std::vector<double> of_all(cluster::Processes& p, const std::vector<double>& own) {
  std::vector<double> all;
  for (const std::string& bytes :
       cluster::gather(p, {reinterpret_cast<const char*>(own.data()), own.size() * sizeof(double)})) {
    std::vector<double> theirs(bytes.size() / sizeof(double));
    std::memcpy(theirs.data(), bytes.data(), theirs.size() * sizeof(double));
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  return all;
}

// Seconds per value, for arrays as large as those that sums arrive in.
double seconds_to_add() {
  constexpr int64_t n = 1 << 17;
  constexpr int times = 64;
  std::vector<float> to(n), from(static_cast<size_t>(n) * 8, 1);
  const auto start = Clock::now();
  for (int i = 0; i < times; ++i) cluster::add_numbers(to.data(), from.data() + n * (i % 8), n);
  return seconds_since(start) / (times * static_cast<double>(n));
}

// One of two processes; its messages arrive instantly.
class OneOfTwo final : public cluster::Processes {
 public:
  int number() const override { return 0; }
  int count() const override { return 2; }
  std::string host() const override { return ""; }
  void exchange(std::span<const cluster::Outgoing>, std::span<const cluster::Incoming>) override {}
};

// Seconds per value for rounding own values to bf16 and converting others' back.
double seconds_to_round() {
  constexpr int64_t n = 1 << 20;
  constexpr int times = 8;
  std::vector<float> numbers(n, 1);
  const std::vector<cluster::Share> all{{0, n}};
  OneOfTwo process;
  cluster::Room room;
  const auto start = Clock::now();
  for (int i = 0; i < times; ++i) cluster::complete_rounded(process, cluster::Slices(n, 2), all, numbers.data(), room);
  return seconds_since(start) / (times * static_cast<double>(n));
}

// Records when each segment's gradients are final, as fractions of a step.
class Finals final : public GradientListener {
 public:
  explicit Finals(train::LayerSegments segments)
      : segments_(std::move(segments)), seconds_(segments_.starts.size() + 1), start_(Clock::now()) {}
  void final_from(Stack stack, int layer) override {
    seconds_[segments_.of_layer(stack, layer)] = seconds_since(start_);
  }
  // Call begin() before a step and end() after it.
  void begin() { start_ = Clock::now(); }
  std::vector<double> end() {
    seconds_[0] = seconds_since(start_);
    std::vector<double> shares = seconds_;
    for (double& share : shares) share /= seconds_[0];
    return shares;
  }
  const std::vector<int64_t>& starts() const { return segments_.starts; }

 private:
  train::LayerSegments segments_;
  std::vector<double> seconds_;
  Clock::time_point start_;
};

class Updates {
 public:
  Updates(const Workload& load, Backend& backend, cluster::Processes& processes, uint64_t seed,
          Sums sums = Sums::behind_step)
      : options_(options_of(load, processes.count(), sums)), data_(made_up_data(load, seed)) {
    data_.processes = &processes;
    learner_.emplace(options_, data_, backend);
    learner_->initialize();
  }
  // Computes the next gradient. -> seconds, excluding drawing of batches
  double gradient() {
    const train::UpdateBatches& batches = learner_->stream().draw();
    const auto start = Clock::now();
    learner_->accumulate_gradient(batches, static_cast<uint32_t>(++updates_ * options_.accumulate));
    return seconds_since(start);
  }
  // -> seconds for the gradient, and for its norm plus Adam
  std::pair<double, double> next() {
    const double gradient = this->gradient();
    const auto start = Clock::now();
    learner_->update(updates_, 1, learner_->gradient_norm());
    return {gradient, seconds_since(start)};
  }
  // Measures finals in a few more steps, whose gradients are discarded.
  void finals(Work& work) {
    Finals finals(train::layer_segments(learner_->model(), learner_->parameters()));
    Context cx = learner_->context();
    cx.training = true;
    cx.listener = &finals;
    model::Transformer::Saved saved;
    std::vector<std::vector<double>> all;
    for (int i = 0; i < kFewestUpdates; ++i) {
      const data::Batch batch = learner_->stream().draw().shards.front().batches.front();
      finals.begin();
      loss_and_gradient(cx, learner_->model(), batch, objective_of(options_), 1, saved);
      cx.arena.clear();
      all.push_back(finals.end());
    }
    work.starts = finals.starts();
    work.finals.clear();
    for (size_t segment = 0; segment < all.front().size(); ++segment) {
      std::vector<double> times;
      for (const std::vector<double>& step : all) times.push_back(step[segment]);
      work.finals.push_back(median(times));
    }
  }
  int64_t numbers() { return learner_->parameters().values().size(); }
  std::span<const cluster::Share> rounded() const { return learner_->rounded(); }

 private:
  train::TrainOptions options_;
  train::TrainingData data_;
  std::optional<train::Learner> learner_;
  int64_t updates_ = 0;
};

}  // namespace

text::Vocabulary made_up_vocabulary(int64_t size) {
  text::PieceModel model;
  model.pieces = {{"<pad>", 0, text::PieceModel::Type::control},
                  {"<s>", 0, text::PieceModel::Type::control},
                  {"</s>", 0, text::PieceModel::Type::control},
                  {"<unk>", 0, text::PieceModel::Type::unknown}};
  for (int64_t i = 4; i < size; ++i) model.pieces.push_back({cat("\xE2\x96\x81", i), static_cast<float>(-i)});
  return text::Vocabulary::parse(model.serialized(), "made-up vocabulary");
}

train::TrainingData made_up_data(const Workload& load, uint64_t seed) {
  Random random(seed);
  std::vector<data::Example> examples;
  // Enough pairs to fill batches of sentences with similar length.
  const int64_t pairs = std::clamp<int64_t>(load.tokens, 4000, 200'000);
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t source = std::clamp<int64_t>(std::llround(std::exp(3.25 + 0.55 * random.normal())), 2, kLongest - 9);
    const auto target = static_cast<int64_t>(static_cast<double>(source) * (1.05 + 0.15 * random.normal()));
    data::Example e;
    e.source = data::made_up_ids(random, source, load.vocabulary);
    e.source.push_back(2);
    e.target = data::made_up_ids(random, std::clamp<int64_t>(target, 2, kLongest - 9), load.vocabulary);
    e.line = i;
    examples.push_back(std::move(e));
  }
  const text::Vocabulary vocabulary = made_up_vocabulary(load.vocabulary);
  train::TrainingData data{{data::store_examples(examples), vocabulary, vocabulary}};
  data.sets = {"made-up pairs"};
  return data;
}

Work measure_work(const Workload& load, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, cluster::alone(), 1 + static_cast<uint64_t>(processes.number()));
  for (int i = 0; i < kWarmUp; ++i) updates.next();
  cluster::wait_for_all(processes);
  const auto [gradient, optimize] = updates.next();
  const int64_t n = updates_in(load.seconds, gradient + optimize, processes);
  std::vector<double> steps, rest;
  for (int64_t i = 0; i < n; ++i) {
    const auto [step, adam] = updates.next();
    steps.push_back(step);
    rest.push_back(adam);
  }
  Work work;
  updates.finals(work);
  work.threads = hexapla::threads();
  work.rounded.assign(updates.rounded().begin(), updates.rounded().end());
  work.numbers = updates.numbers();
  work.tokens = load.tokens;
  work.steps = of_all(processes, steps);
  work.optimize = median(of_all(processes, rest)) / static_cast<double>(work.numbers);
  work.add = median(of_all(processes, {seconds_to_add()}));
  work.round = work.rounded.empty() ? 0 : median(of_all(processes, {seconds_to_round()}));
  return work;
}

MeasuredUpdates measure_updates(const Workload& load, Sums sums, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, processes, 1, sums);
  for (int i = 0; i < kWarmUp; ++i) updates.next();
  const auto [gradient, optimize] = updates.next();
  const int64_t n = updates_in(load.seconds, gradient + optimize, processes);
  cluster::wait_for_all(processes);
  MeasuredUpdates sum;
  const auto start = Clock::now();
  for (int64_t i = 0; i < n; ++i) {
    const auto [step, rest] = updates.next();
    sum.gradient += step, sum.update += rest;
  }
  cluster::wait_for_all(processes);
  const auto of = static_cast<double>(n);
  return {seconds_since(start) / of, sum.gradient / of, sum.update / of};
}

}  // namespace hexapla::train::scale
