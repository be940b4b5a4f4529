// Mixtures of experts against dense networks, and dense networks split into experts after training.
#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "lab/bench/moefication.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr double kBalancing = 0.01;  // Fedus et al. 2021
constexpr int64_t kParts = 16;       // into which a trained network is split
constexpr std::array kActive = {kParts, kParts / 2, kParts / 4};
constexpr size_t kFitted = 300, kObserved = 100;  // pairs

// A feed-forward network with d_ff `width`, or a mixture of experts of this width.
struct Variant {
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

constexpr Variant dense(int64_t width) { return {0, 0, width, 0}; }
constexpr Variant mixture(int64_t experts, int64_t width, int64_t per_token) {
  return {experts, per_token, width, kBalancing};
}
constexpr Variant unbalanced(Variant v) {
  v.balancing = 0;
  return v;
}

// The first two mixtures have as many active units as kDense, the last two as many in total; the
// latter have as many active units as kNarrow.
constexpr Variant kDense = dense(128);
constexpr std::array kMixtures = {mixture(4, 128, 1), mixture(4, 64, 2), mixture(4, 32, 1), mixture(4, 32, 2)};
constexpr std::array kNarrow = {dense(32), dense(64)};

std::vector<Variant> all_variants() {
  std::vector<Variant> all{kDense};
  all.insert(all.end(), kNarrow.begin(), kNarrow.end());
  for (const Variant& v : kMixtures) all.insert(all.end(), {v, unbalanced(v)});
  return all;
}

struct Cell {
  std::vector<double> losses, wrong, largest;  // nats per token; percent; the most chosen expert's percentage
};

Training training_of(const Variant& v, int64_t seed, int64_t updates) {
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

class Runs {
 public:
  Runs(const Settings& settings, Watcher& watcher, Report& report)
      : settings_(settings),
        watcher_(watcher),
        report_(report),
        bench_(settings, watcher, dates(settings.test_pairs)) {}

  void train_all() {
    for (int64_t seed = 1; seed <= settings_.seeds; ++seed)
      for (const Variant& v : all_variants()) train(v, seed);
  }
  const Cell& of(const Variant& v) const { return cells_.at(v.name()); }
  const Bench& bench() const { return bench_; }
  const Settings& settings() const { return settings_; }

 private:
  void train(const Variant& v, int64_t seed);

  const Settings& settings_;
  Watcher& watcher_;
  Report& report_;
  Bench bench_;
  int64_t done_ = 0;
  std::map<std::string, Cell> cells_;
};

void Runs::train(const Variant& v, int64_t seed) {
  watcher_.begins(done_++, std::ssize(all_variants()) * settings_.seeds, fmt::format("{}, seed {}", v.name(), seed));
  const Training t = training_of(v, seed, settings_.updates);
  const Result one = bench_.train(t);
  if (one.failed) throw RunError(cat("the training of ", v.name(), " with seed ", seed, " diverged"));
  Cell& cell = cells_[v.name()];
  cell.losses.push_back(one.loss);
  cell.wrong.push_back(100 * (1 - one.accuracy));
  if (v.experts > 0) cell.largest.push_back(largest_share(bench_.open(t), bench_.task().test));
  nlohmann::ordered_json which{{"network", v.name()}, {"active", v.active()}, {"total", v.total()}, {"seed", seed}};
  if (v.experts > 0) which["largest_share"] = cell.largest.back();
  record(std::move(which), one, report_);
}

void show_mixtures(const Runs& runs, Report& r) {
  Table t{fmt::format("After {} on dates", text::counted(runs.settings().updates, "update")),
          {"feed-forward network", "active units", "units", "loss of unseen dates, nats per token", "wrong dates, %",
           "choices of the most chosen expert, %"},
          {}};
  for (const Variant& v : all_variants()) {
    const Cell& c = runs.of(v);
    t.rows.push_back({v.name(), cat(v.active()), cat(v.total()), show(spread_of(c.losses), 4),
                      show(spread_of(c.wrong), 1), c.largest.empty() ? "" : show(spread_of(c.largest), 0)});
  }
  r.tables.push_back(t);
}

std::string against(const Runs& runs, const Variant& a, const Variant& b) {
  const Cell &x = runs.of(a), &y = runs.of(b);
  return fmt::format("loss {} against {}, {}; wrong dates, %: {} against {}, {}", show(spread_of(x.losses), 4),
                     show(spread_of(y.losses), 4), compare(x.losses, "with " + a.name(), y.losses, "with " + b.name()),
                     show(spread_of(x.wrong), 1), show(spread_of(y.wrong), 1),
                     compare(x.wrong, "with " + a.name(), y.wrong, "with " + b.name()));
}

void conclude_mixtures(const Runs& runs, Report& r) {
  for (const Variant& v : kMixtures)
    for (const Variant& d : {kDense, kNarrow[0], kNarrow[1]})
      if (d.active() == v.active())
        r.findings.push_back(fmt::format("As many active units, {}: {} against {}: {}.", d.active(), v.name(), d.name(),
                                         against(runs, v, d)));
  for (const Variant& v : kMixtures)
    if (v.total() == kDense.total())
      r.findings.push_back(fmt::format("As many units in total, {}, of which {} are active: {} against {}: {}.",
                                       v.total(), v.active(), v.name(), kDense.name(), against(runs, v, kDense)));
  for (const Variant& v : kMixtures) {
    const Cell &with = runs.of(v), &without = runs.of(unbalanced(v));
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

// Ways to choose the experts of a split model.
struct Choice {
  const char* name;
  Grouping grouping;
  const decode::OpenModel& (SplitModel::*use)(int64_t);
};
constexpr std::array kChoices = {
    Choice{"routers", Grouping::alike, &SplitModel::by_routers},
    Choice{"the strongest experts", Grouping::alike, &SplitModel::by_activation},
    Choice{"the strongest of units as they stand", Grouping::as_they_stand, &SplitModel::by_activation}};
using Splits = std::map<std::string, std::map<int64_t, Cell>>;  // by choice and number of active experts

data::Corpus first_pairs(const data::Corpus& c, size_t n) {
  data::Corpus some = c;
  for (auto* side : {&some.source, &some.target}) side->resize(std::min(n, side->size()));
  some.lines.resize(some.source.size());
  return some;
}

Splits split_all(const Runs& runs, Report& r) {
  const data::Corpus fitted = first_pairs(runs.bench().task().train, kFitted);
  Splits all;
  for (int64_t seed = 1; seed <= runs.settings().seeds; ++seed)
    for (const Choice& choice : kChoices) {
      SplitModel model(runs.bench().open(training_of(kDense, seed, runs.settings().updates)), kParts, choice.grouping,
                       fitted);
      for (const int64_t active : kActive) {
        const Scores s = Bench::test((model.*choice.use)(active), runs.bench().task().test);
        all[choice.name][active].losses.push_back(s.loss);
        all[choice.name][active].wrong.push_back(100 * (1 - s.accuracy));
        r.figures["split"].push_back({{"choice", choice.name},
                                      {"active", active},
                                      {"of", kParts},
                                      {"seed", seed},
                                      {"loss", s.loss},
                                      {"accuracy", s.accuracy}});
      }
    }
  return all;
}

double percent(int64_t active) { return 100.0 * static_cast<double>(active) / static_cast<double>(kParts); }

void show_splits(const Splits& splits, Report& r) {
  Table t{fmt::format("{} split into {} experts after its training", kDense.name(), kParts),
          {"experts of a token", "active units, %", "loss of unseen dates, nats per token", "wrong dates, %"},
          {}};
  inspect::Chart chart{.title = "Wrong dates, %", .x_label = "active units, %", .series = {}};
  for (const Choice& choice : kChoices) {
    chart.series.push_back({.name = choice.name, .points = {}, .marked = true});
    for (const auto& [active, cell] : splits.at(choice.name)) {
      t.rows.push_back({choice.name, fmt::format("{:.0f}", percent(active)), show(spread_of(cell.losses), 4),
                        show(spread_of(cell.wrong), 1)});
      add_point(percent(active), spread_of(cell.wrong), chart.series.back());
    }
  }
  r.tables.push_back(t);
  r.charts.push_back(chart);
}

void conclude_splits(const Runs& runs, const Splits& splits, Report& r) {
  const Cell& whole = runs.of(kDense);
  for (const int64_t active : {kActive[1], kActive[2]}) {
    const Cell &routed = splits.at(kChoices[0].name).at(active), &best = splits.at(kChoices[1].name).at(active),
               &standing = splits.at(kChoices[2].name).at(active);
    r.findings.push_back(
        fmt::format("{} with {:.0f} % of its units, chosen by routers that were fitted after its training: loss {} "
                    "against {} of the "
                    "whole network, {}; wrong dates, %: {} against {}, {}. With the experts that are strongest at each "
                    "token, which "
                    "no router knows beforehand, the loss is {}.",
                    kDense.name(), percent(active), show(spread_of(routed.losses), 4), show(spread_of(whole.losses), 4),
                    compare(routed.losses, "with the routers", whole.losses, "with the whole network"),
                    show(spread_of(routed.wrong), 1), show(spread_of(whole.wrong), 1),
                    compare(routed.wrong, "with the routers", whole.wrong, "with the whole network"),
                    show(spread_of(best.losses), 4)));
    r.findings.push_back(fmt::format(
        "The strongest {:.0f} %, in experts of units that are alike against experts of units as they stand: loss {} "
        "against {}, {}.",
        percent(active), show(spread_of(best.losses), 4), show(spread_of(standing.losses), 4),
        compare(best.losses, "with units that are alike", standing.losses, "with units as they stand")));
  }
}

}  // namespace

Report experts(const Settings& settings, Watcher& watcher) {
  Report r;
  Runs runs(settings, watcher, r);
  runs.train_all();
  show_mixtures(runs, r);
  conclude_mixtures(runs, r);
  const Splits splits = split_all(runs, r);
  show_splits(splits, r);
  conclude_splits(runs, splits, r);
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
                  kObserved),
      fmt::format("Split after training: the hidden units of every layer are put into {} groups of equal size by "
                  "k-means of their columns of W1, and the rest of the model stays as it is. Units of a group that a "
                  "token does not use are 0. A router is a linear layer, fitted by least squares to the sums of each "
                  "group's units at the tokens of {} training pairs; the strongest experts are those whose sums are "
                  "largest at the token itself. Quality alone was measured: units were computed and then set to 0, so "
                  "no time was saved.",
                  kParts, kFitted)};
  return r;
}

}  // namespace hexapla::lab
