#include "scale/measurement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/error.h"
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

class Updates {
 public:
  Updates(const Workload& load, Backend& backend, cluster::Processes& processes, uint64_t seed)
      : options_(options_of(load, processes.count())), data_(made_up_data(load, seed)) {
    data_.processes = &processes;
    learner_.emplace(options_, data_, backend);
    learner_->initialize();
  }
  // -> seconds of the gradient and, with the norm, of Adam
  std::pair<double, double> next() {
    const train::UpdateBatches& batches = learner_->stream().draw();
    const auto start = Clock::now();
    learner_->accumulate_gradient(batches, static_cast<uint32_t>(++updates_ * options_.accumulate));
    const double gradient = seconds_since(start);
    learner_->update(updates_, 1, learner_->gradient_norm());
    return {gradient, seconds_since(start) - gradient};
  }
  int64_t numbers() { return learner_->parameters().values().size(); }

 private:
  train::TrainOptions options_;
  train::TrainingData data_;
  std::optional<train::Learner> learner_;
  int64_t updates_ = 0;
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
  std::vector<double> steps, rest, add;
  for (int64_t i = 0; i < n; ++i) {
    const auto [step, adam] = updates.next();
    steps.push_back(step);
    rest.push_back(adam);
  }
  add.push_back(seconds_to_add());
  Work work;
  work.numbers = updates.numbers();
  work.tokens = load.tokens;
  work.steps = of_all(processes, steps);
  work.optimize = median(of_all(processes, rest)) / static_cast<double>(work.numbers);
  work.add = median(of_all(processes, add));
  return work;
}

double measure_updates(const Workload& load, Backend& backend, cluster::Processes& processes) {
  Updates updates(load, backend, processes, 1);
  for (int i = 0; i < warm_up; ++i) updates.next();
  const auto [gradient, optimize] = updates.next();
  const int64_t n = updates_in(load.seconds, gradient + optimize, processes);
  cluster::wait_for_all(processes);
  const auto start = Clock::now();
  for (int64_t i = 0; i < n; ++i) updates.next();
  cluster::wait_for_all(processes);
  return seconds_since(start) / static_cast<double>(n);
}

}  // namespace hexapla::scale
