// Mixtures of experts against dense networks.
#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr double kBalancing = 0.01;  // Fedus et al. 2021
constexpr size_t kObserved = 100;    // pairs

// A feed-forward network with d_ff `width`, or a mixture of experts of this width.
struct FeedForward {
  int64_t experts, per_token, width;
  double balancing;

  std::string name() const {
    if (experts == 0) return fmt::format("dense {}", width);
    return fmt::format("{} x {}, top-{}{}", experts, width, per_token, balancing > 0 ? "" : ", unbalanced");
  }
  std::string folder(int64_t seed) const {
    if (experts == 0) return fmt::format("dense-{}-{}", width, seed);
    return fmt::format("experts-{}-{}-{}{}-{}", experts, width, per_token, balancing > 0 ? "" : "-unbalanced", seed);
  }
  int64_t active() const { return width * std::max<int64_t>(per_token, 1); }  // hidden units used per token
  int64_t total() const { return width * std::max<int64_t>(experts, 1); }
};

constexpr FeedForward dense(int64_t width) { return {0, 0, width, 0}; }
constexpr FeedForward mixture(int64_t experts, int64_t width, int64_t per_token) {
  return {experts, per_token, width, kBalancing};
}
constexpr FeedForward unbalanced(FeedForward v) {
  v.balancing = 0;
  return v;
}

// The first two mixtures have as many active units as kDense, the last two as many in total; the
// latter have as many active units as kNarrow.
constexpr FeedForward kDense = dense(128);
constexpr std::array kMixtures = {mixture(4, 128, 1), mixture(4, 64, 2), mixture(4, 32, 1), mixture(4, 32, 2)};
constexpr std::array kNarrow = {dense(32), dense(64)};

std::vector<FeedForward> all_variants() {
  std::vector<FeedForward> all{kDense};
  all.insert(all.end(), kNarrow.begin(), kNarrow.end());
  for (const FeedForward& v : kMixtures) all.insert(all.end(), {v, unbalanced(v)});
  return all;
}

struct ExpertsCell {
  std::vector<double> losses, wrong, largest;  // nats per token; percent; the most chosen expert's percentage
};

Training training_with(const FeedForward& v, int64_t seed, int64_t updates) {
  Training t{
      .name = v.folder(seed), .architecture = Bench::small(), .seed = static_cast<uint64_t>(seed), .updates = updates};
  model::Config& c = t.architecture;
  if (v.experts == 0) {
    c.d_ff = v.width;
  } else {
    c.experts = v.experts, c.experts_per_token = v.per_token, c.d_expert = v.width, c.load_balancing = v.balancing;
  }
  return t;
}

// Percentage of the choices in a layer that fall on its most chosen expert, mean over layers.
double largest_share(const decode::OpenModel& m, const data::Corpus& pairs) {
  std::map<std::string, std::vector<double>> chosen;  // per layer
  for (size_t i = 0; i < std::min(kObserved, pairs.source.size()); ++i) {
    const auto seen = Bench::look(m, pairs, i);
    for (const auto& [name, gates] : seen.seen.tensors()) {
      if (!name.ends_with("feed_forward.gates")) continue;
      std::vector<double>& times = chosen[name];
      times.resize(static_cast<size_t>(gates.shape[1]));
      for (size_t at = 0; at < gates.values.size(); ++at) times[at % times.size()] += gates.values[at] > 0;
    }
  }
  double mean = 0;
  for (const auto& [name, times] : chosen) {
    double all = 0;
    for (const double n : times) all += n;
    mean += 100 * *std::max_element(times.begin(), times.end()) / all / static_cast<double>(chosen.size());
  }
  return mean;
}

class ExpertRuns {
 public:
  ExpertRuns(const Settings& settings, Watcher& watcher, Report& report)
      : settings_(settings),
        watcher_(watcher),
        report_(report),
        bench_(settings, watcher, dates(settings.test_pairs)) {}

  void train_all() {
    for (int64_t seed = 1; seed <= settings_.seeds; ++seed)
      for (const FeedForward& v : all_variants()) train(v, seed);
  }
  const ExpertsCell& of(const FeedForward& v) const { return cells_.at(v.name()); }
  const Settings& settings() const { return settings_; }

 private:
  void train(const FeedForward& v, int64_t seed);

  const Settings& settings_;
  Watcher& watcher_;
  Report& report_;
  Bench bench_;
  int64_t done_ = 0;
  std::map<std::string, ExpertsCell> cells_;
};

void ExpertRuns::train(const FeedForward& v, int64_t seed) {
  watcher_.begins(done_++, std::ssize(all_variants()) * settings_.seeds, fmt::format("{}, seed {}", v.name(), seed));
  const Training t = training_with(v, seed, settings_.updates);
  const Result one = bench_.train(t);
  if (one.failed) throw RunError(cat("the training of ", v.name(), " with seed ", seed, " diverged"));
  ExpertsCell& cell = cells_[v.name()];
  cell.losses.push_back(one.loss);
  cell.wrong.push_back(100 * (1 - one.accuracy));
  if (v.experts > 0) cell.largest.push_back(largest_share(bench_.open(t), bench_.task().test));
  nlohmann::ordered_json which{{"network", v.name()}, {"active", v.active()}, {"total", v.total()}, {"seed", seed}};
  if (v.experts > 0) which["largest_share"] = cell.largest.back();
  record(std::move(which), one, report_);
}

void show_mixtures(const ExpertRuns& runs, Report& r) {
  Table t{fmt::format("After {} on dates", text::counted(runs.settings().updates, "update")),
          {"feed-forward network", "active units", "units", "loss of unseen dates, nats per token", "wrong dates, %",
           "choices of the most chosen expert, %"},
          {}};
  for (const FeedForward& v : all_variants()) {
    const ExpertsCell& c = runs.of(v);
    t.rows.push_back({v.name(), cat(v.active()), cat(v.total()), show(spread_of(c.losses), 4),
                      show(spread_of(c.wrong), 1), c.largest.empty() ? "" : show(spread_of(c.largest), 0)});
  }
  r.tables.push_back(t);
}

std::string against(const ExpertRuns& runs, const FeedForward& a, const FeedForward& b) {
  const ExpertsCell &x = runs.of(a), &y = runs.of(b);
  return fmt::format("loss {} against {}, {}; wrong dates, %: {} against {}, {}", show(spread_of(x.losses), 4),
                     show(spread_of(y.losses), 4), compare(x.losses, "with " + a.name(), y.losses, "with " + b.name()),
                     show(spread_of(x.wrong), 1), show(spread_of(y.wrong), 1),
                     compare(x.wrong, "with " + a.name(), y.wrong, "with " + b.name()));
}

void conclude_mixtures(const ExpertRuns& runs, Report& r) {
  for (const FeedForward& v : kMixtures)
    for (const FeedForward& d : {kDense, kNarrow[0], kNarrow[1]})
      if (d.active() == v.active())
        r.findings.push_back(fmt::format("As many active units, {}: {} against {}: {}.", d.active(), v.name(), d.name(),
                                         against(runs, v, d)));
  for (const FeedForward& v : kMixtures)
    if (v.total() == kDense.total())
      r.findings.push_back(fmt::format("As many units in total, {}, of which {} are active: {} against {}: {}.",
                                       v.total(), v.active(), v.name(), kDense.name(), against(runs, v, kDense)));
  for (const FeedForward& v : kMixtures) {
    const ExpertsCell &with = runs.of(v), &without = runs.of(unbalanced(v));
    r.findings.push_back(fmt::format(
        "{}: the most chosen expert of a layer has {} % of the choices with the balancing loss and {} % "
        "without it, where an even load is {:.0f} %; of evenness, {}. The loss of unseen dates is {} with it and {} "
        "without it, {}.",
        v.name(), show(spread_of(with.largest), 0), show(spread_of(without.largest), 0),
        100.0 / static_cast<double>(v.experts), compare(with.largest, "with it", without.largest, "without it"),
        show(spread_of(with.losses), 4), show(spread_of(without.losses), 4),
        compare(with.losses, "with it", without.losses, "without it")));
  }
}

}  // namespace

Report experts(const Settings& settings, Watcher& watcher) {
  Report r;
  ExpertRuns runs(settings, watcher, r);
  runs.train_all();
  show_mixtures(runs, r);
  conclude_mixtures(runs, r);
  r.method = {
      cat(about_dates(settings.test_pairs), " 2 + 2 layers, d_model 64, 4 heads, no dropout; ",
          text::counted(settings.updates, "update"),
          " of 512 target tokens, learning rate 2e-3 after 100 updates. \"4 x 32, top-2\" has four experts of 32 "
          "hidden units in every layer, of which a token uses two; \"dense 128\" is the feed-forward network with "
          "d_ff 128. The models differ in nothing else. The router's weights, 64 for each expert, do not count as "
          "units. No expert has a capacity. The balancing loss of each layer has a weight of 0.01, and 0 where a "
          "mixture is called unbalanced."),
      fmt::format("The load of an expert: its share of the choices on {} of the unseen dates, with the whole target "
                  "given; the largest of each layer, the mean over the layers. Of two experts per token none can have "
                  "more than half.",
                  kObserved)};
  return r;
}

}  // namespace hexapla::lab
