#include "scale/measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "base/error.h"
#include "cluster/rounded.h"
#include "cluster/tree.h"
#include "text/vocabulary/piece_model.h"
#include "train/loop/learner.h"

namespace hexapla::scale {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t longest = 128;  // tokens of a sentence
constexpr int warm_up = 2, most_updates = 200, fewest_updates = 5;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

text::Vocabulary vocabulary_of(int64_t size) {
  text::PieceModel model;
  model.pieces = {{"<pad>", 0, text::PieceModel::Type::control},
                  {"<s>", 0, text::PieceModel::Type::control},
                  {"</s>", 0, text::PieceModel::Type::control},
                  {"<unk>", 0, text::PieceModel::Type::unknown}};
  for (int64_t i = 4; i < size; ++i) model.pieces.push_back({cat("\xE2\x96\x81", i), static_cast<float>(-i)});
  return text::Vocabulary::parse(model.serialized(), "made-up vocabulary");
}

text::Ids made_up_ids(Random& random, int64_t n, int64_t vocabulary) {
  text::Ids ids(static_cast<size_t>(n));
  for (int32_t& id : ids) id = static_cast<int32_t>(4 + random.below(static_cast<uint32_t>(vocabulary - 4)));
  return ids;
}

train::TrainOptions options_of(const Workload& load, int64_t shards) {
  train::TrainOptions o;
  o.preset = load.preset;
  o.architecture = model::Config::preset(load.preset);
  o.batch_tokens = load.tokens;
  o.precision = load.precision;
  o.max_length = longest;
  o.accumulate = o.shards = shards;
  o.lr = 1e-4;
  o.max_updates = most_updates;
  return o;
}

// So many updates as take about that long on the first process: the same number in all.
int64_t updates_in(double seconds, double of_one, cluster::Processes& p) {
  const auto own = static_cast<int64_t>(seconds / std::max(of_one, 1e-6));
  return cluster::of_first(p, std::clamp<int64_t>(own, fewest_updates, most_updates));
}

// What each process measured, together.
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

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Seconds a number, at the size in which sums come in.
double seconds_to_add() {
  constexpr int64_t n = 1 << 17;
  constexpr int times = 64;
  std::vector<float> to(n), from(static_cast<size_t>(n) * 8, 1);
  const auto start = Clock::now();
  for (int i = 0; i < times; ++i) cluster::add_numbers(to.data(), from.data() + n * (i % 8), n);
  return seconds_since(start) / (times * static_cast<double>(n));
}

// Of two: its messages are there at once.
class OneOfTwo final : public cluster::Processes {
 public:
  int number() const override { return 0; }
  int count() const override { return 2; }
  std::string host() const override { return ""; }
  void exchange(std::span<const cluster::Outgoing>, std::span<const cluster::Incoming>) override {}
};

// Seconds a number, of the own ones to bf16 and of others' from it.
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

class Updates {
 public:
  Updates(const Workload& load, Backend& backend, cluster::Processes& processes, uint64_t seed)
      : options_(options_of(load, processes.count())), data_(made_up_data(load, seed)) {
    data_.processes = &processes;
    learner_.emplace(options_, data_, backend);
    learner_->initialize();
  }
  // Of the next batches. -> seconds, without drawing them
  double gradient() {
    const train::UpdateBatches& batches = learner_->stream().draw();
    const auto start = Clock::now();
    learner_->accumulate_gradient(batches, static_cast<uint32_t>(++updates_ * options_.accumulate));
    return seconds_since(start);
  }
  // -> seconds of the gradient and, with the norm, of Adam
  std::pair<double, double> next() {
    const double gradient = this->gradient();
    const auto start = Clock::now();
    learner_->update(updates_, 1, learner_->gradient_norm());
    return {gradient, seconds_since(start)};
  }
  int64_t numbers() { return learner_->parameters().values().size(); }
  std::span<const cluster::Share> rounded() const { return learner_->rounded(); }

 private:
  train::TrainOptions options_;
  train::TrainingData data_;
  std::optional<train::Learner> learner_;
  int64_t updates_ = 0;
};

// Reduce-scatter of made-up numbers, in rounds as train/shards has them.
class MadeUpSum {
 public:
  MadeUpSum(cluster::Processes& processes, int64_t numbers)
      : processes_(processes),
        slices_(numbers, processes.count()),
        numbers_(static_cast<size_t>(numbers), 1),
        received_(static_cast<size_t>(at_once * (processes.count() - 1))) {}
  void run() {
    for (int64_t at = 0; at < slices_.largest(); at += at_once) round(at);
  }

 private:
  static constexpr int64_t at_once = 1 << 17;
  void round(int64_t at) {
    const cluster::Share own = slices_.some_of(processes_.number(), at, at_once);
    const auto bytes_of = [](const cluster::Share& s) { return static_cast<size_t>(s.size()) * sizeof(float); };
    room_.clear();
    float* to = received_.data();
    for (int other = 0; other < processes_.count(); ++other) {
      if (other == processes_.number()) continue;
      const cluster::Share theirs = slices_.some_of(other, at, at_once);
      room_.out.push_back({other, numbers_.data() + theirs.from, bytes_of(theirs)});
      room_.in.push_back({other, to, bytes_of(own)});
      to += own.size();
    }
    processes_.exchange(room_.out, room_.in);
    for (const float* from = received_.data(); from != to; from += own.size())
      for (int64_t i = 0; i < own.size(); ++i) numbers_[static_cast<size_t>(own.from + i)] += from[i];
  }

  cluster::Processes& processes_;
  cluster::Slices slices_;
  std::vector<float> numbers_, received_;
  cluster::Room room_;
};

}  // namespace

train::TrainingData made_up_data(const Workload& load, uint64_t seed) {
  Random random(seed);
  std::vector<data::Example> examples;
  // Enough for batches of neighbors in length that are nearly full.
  const int64_t pairs = std::clamp<int64_t>(load.tokens, 4000, 200'000);
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t source = std::clamp<int64_t>(std::llround(std::exp(3.25 + 0.55 * random.normal())), 2, longest - 9);
    const auto target = static_cast<int64_t>(static_cast<double>(source) * (1.05 + 0.15 * random.normal()));
    data::Example e;
    e.source = made_up_ids(random, source, load.vocabulary);
    e.source.push_back(2);
    e.target = made_up_ids(random, std::clamp<int64_t>(target, 2, longest - 9), load.vocabulary);
    e.line = i;
    examples.push_back(std::move(e));
  }
  const text::Vocabulary vocabulary = vocabulary_of(load.vocabulary);
  train::TrainingData data{{data::store_examples(examples), vocabulary, vocabulary}};
  data.sets = {"made-up pairs"};
  return data;
}

Work measure_work(const Workload& load, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, cluster::alone(), 1 + static_cast<uint64_t>(processes.number()));
  for (int i = 0; i < warm_up; ++i) updates.next();
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
  work.rounded.assign(updates.rounded().begin(), updates.rounded().end());
  work.numbers = updates.numbers();
  work.tokens = load.tokens;
  work.steps = of_all(processes, steps);
  work.optimize = median(of_all(processes, rest)) / static_cast<double>(work.numbers);
  work.add = median(of_all(processes, {seconds_to_add()}));
  work.round = work.rounded.empty() ? 0 : median(of_all(processes, {seconds_to_round()}));
  return work;
}

MeasuredUpdates measure_updates(const Workload& load, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, processes, 1);
  for (int i = 0; i < warm_up; ++i) updates.next();
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

MeasuredOverlap measure_overlap(const Workload& load, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, cluster::alone(), 1 + static_cast<uint64_t>(processes.number()));
  MadeUpSum sum(processes, updates.numbers());
  for (int i = 0; i < warm_up; ++i) updates.gradient(), sum.run();
  const double step = updates.gradient();
  const int64_t n = updates_in(load.seconds / 2, step, processes);
  double seconds[2] = {};
  for (const bool beside : {false, true})
    for (int64_t i = 0; i < n; ++i) {
      cluster::wait_for_all(processes);
      const auto start = Clock::now();
      std::thread thread;
      if (beside)
        thread = std::thread([&] {
          std::this_thread::sleep_for(std::chrono::duration<double>(step / 3));
          sum.run();
        });
      updates.gradient();
      if (beside)
        thread.join();
      else
        sum.run();
      seconds[beside] += seconds_since(start) / static_cast<double>(n);
    }
  const std::vector<double> all = of_all(processes, {seconds[0], seconds[1]});
  MeasuredOverlap mean;
  for (size_t i = 0; i < all.size(); i += 2) mean.apart += all[i], mean.together += all[i + 1];
  return {mean.apart / processes.count(), mean.together / processes.count()};
}

}  // namespace hexapla::scale
