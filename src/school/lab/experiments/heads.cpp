// How many heads help; which ones a trained model needs (Michel et al. 2019); where each looks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "inspect/recorder.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kHeadCounts = {1, 2, 4, 8, 16};
constexpr int kPruned = 8;         // heads per layer of the pruned model
constexpr size_t kSeenPairs = 40;  // for the table of offsets

Training training_with_heads(int heads, int64_t seed, int64_t updates) {
  Training t{.name = fmt::format("heads-{}-{}", heads, seed),
             .architecture = Bench::small(),
             .seed = static_cast<uint64_t>(seed),
             .updates = updates};
  t.architecture.heads = heads;
  return t;
}

using TrainedHeads = std::map<int, std::vector<Result>>;

TrainedHeads train_heads(const Bench& bench, const Settings& settings, Watcher& watcher, Report& r) {
  TrainedHeads trained;
  int64_t done = 0;
  const int64_t all = std::ssize(kHeadCounts) * settings.seeds + settings.seeds;  // and prunings
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int heads : kHeadCounts) {
      watcher.begins(done++, all, fmt::format("{} heads, seed {}", heads, seed));
      const Result one = bench.train(training_with_heads(heads, seed, settings.updates));
      if (one.failed) throw RunError(cat("the training of ", heads, " heads with seed ", seed, " diverged"));
      trained[heads].push_back(one);
      record({{"heads", heads}, {"seed", seed}}, one, r);
    }
  return trained;
}

template <class Of>
std::vector<double> each(const std::vector<Result>& results, Of of) {
  std::vector<double> values;
  for (const Result& one : results) values.push_back(of(one));
  return values;
}

Spread loss_of(const std::vector<Result>& results) {
  return spread_of(each(results, [](const Result& r) { return r.loss; }));
}

void show_trained_heads(const TrainedHeads& trained, int64_t updates, Report& r) {
  Table t{fmt::format("Trained for {} updates on dates, d_model 64, d_k = d_v = 64 / heads", updates),
          {"heads", "d_k", "loss, nats per token", "right in every character, %", "seconds"},
          {}};
  inspect::Chart chart{.title = "Loss of unseen dates",
                       .x_label = "log2 of the heads",
                       .series = {{.name = "mean of the seeds", .points = {}, .marked = true}}};
  for (const auto& [heads, results] : trained) {
    const auto right = spread_of(each(results, [](const Result& one) { return 100 * one.accuracy; }));
    const auto seconds = spread_of(each(results, [](const Result& one) { return one.seconds; }));
    t.rows.push_back({cat(heads), cat(64 / heads), show(loss_of(results), 4), show(right, 1), show(seconds, 1)});
    add_point(std::log2(heads), loss_of(results), chart.series[0]);
  }
  r.tables.push_back(t);
  r.charts.push_back(chart);
}

// Compares with the number of heads used in all other experiments: the best of five means would not
// be a fair rival.
void conclude_trained_heads(const TrainedHeads& trained, Report& r) {
  const int usual = static_cast<int>(Bench::small().heads);
  const auto losses = [&](int heads) { return each(trained.at(heads), [](const Result& one) { return one.loss; }); };
  for (const auto& [heads, results] : trained)
    if (heads != usual)
      r.findings.push_back(fmt::format("At equal cost, {}: loss {}, {} heads: {}; {}.", text::counted(heads, "head"),
                                       show(loss_of(results), 4), usual, show(loss_of(trained.at(usual)), 4),
                                       compare(losses(heads), "with " + text::counted(heads, "head"), losses(usual),
                                               fmt::format("with {} heads", usual))));
}

// A head, with its rows of W^O, [d_v, d_model].
struct Head {
  std::string block;  // "encoder.layers.0.self_attention"
  int64_t number;
  model::Parameter* output;
};

std::vector<Head> heads_of(model::Transformer& net) {
  std::vector<Head> all;
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    const size_t end = name.find(".output.weight");
    if (end == std::string::npos) return;
    for (int64_t h = 0; h < net.config.heads; ++h) all.push_back({name.substr(0, end), h, &p});
  });
  return all;
}

std::span<float> rows_of(const Head& h, int64_t heads) {
  const std::span<float> all = h.output->value.values<float>();
  const size_t own = all.size() / static_cast<size_t>(heads);
  return all.subspan(static_cast<size_t>(h.number) * own, own);
}

struct Pruning {
  double whole = 0;                            // loss of the whole model
  std::vector<std::pair<Head, double>> alone;  // loss without this head, least harmful first
  std::vector<double> together;                // loss without the first 1, 2, ... of them
};

Pruning prune(const Bench& bench, decode::OpenModel m) {
  Pruning p;
  const int64_t heads = m.file.config.heads;
  p.whole = Bench::loss(m, bench.task().test);
  for (const Head& h : heads_of(*m.file.net)) {
    const std::span<float> rows = rows_of(h, heads);
    const std::vector<float> kept(rows.begin(), rows.end());
    std::fill(rows.begin(), rows.end(), 0.f);
    p.alone.emplace_back(h, Bench::loss(m, bench.task().test));
    std::copy(kept.begin(), kept.end(), rows.begin());
  }
  std::stable_sort(p.alone.begin(), p.alone.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [head, loss] : p.alone) {
    const std::span<float> rows = rows_of(head, heads);
    std::fill(rows.begin(), rows.end(), 0.f);
    p.together.push_back(Bench::loss(m, bench.task().test));
  }
  return p;
}

// How many heads can be removed before the loss rises by more than `nats` per token.
int64_t spared(const Pruning& p, double nats) {
  const auto worse = [&](double loss) { return loss > p.whole + nats; };
  return std::find_if(p.together.begin(), p.together.end(), worse) - p.together.begin();
}

void prune_all(const Bench& bench, const Settings& settings, Watcher& watcher, Report& r) {
  constexpr double nats = 0.05;
  std::vector<double> harmless, gone;
  inspect::Chart chart{
      .title = "Loss without the n least harmful heads", .x_label = "heads that are gone", .series = {}};
  size_t all_heads = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed) {
    watcher.begins(std::ssize(kHeadCounts) * settings.seeds + seed - 1,
                   static_cast<int64_t>(kHeadCounts.size() + 1) * settings.seeds,
                   fmt::format("pruning, seed {}", seed));
    const Pruning p = prune(bench, bench.open(training_with_heads(kPruned, seed, settings.updates)));
    all_heads = p.alone.size();
    harmless.push_back(static_cast<double>(std::count_if(
        p.alone.begin(), p.alone.end(), [&](const auto& one) { return one.second <= p.whole + nats / 10; })));
    gone.push_back(static_cast<double>(spared(p, nats)));
    nlohmann::ordered_json alone;
    for (const auto& [head, loss] : p.alone)
      alone.push_back({{"head", cat(head.block, ".", head.number)}, {"loss", loss}});
    r.figures["pruned"].push_back({{"seed", seed}, {"whole", p.whole}, {"alone", alone}, {"together", p.together}});
    if (chart.series.size() == 3) continue;
    chart.series.push_back({.name = fmt::format("seed {}", seed), .points = {{0, p.whole}}});
    for (size_t i = 0; i < p.together.size(); ++i)
      chart.series.back().points.emplace_back(static_cast<double>(i + 1), p.together[i]);
  }
  r.charts.push_back(chart);
  r.findings.push_back(fmt::format(
      "Of the {} heads of a trained model of {} heads per layer, {} can go alone at a price of at most 0.005 "
      "nats per token; "
      "in the order of their harm, {} can go together before the price exceeds {:.2f}.",
      all_heads, kPruned, show(spread_of(harmless), 0), show(spread_of(gone), 0), nats));
}

// Mean weights of a self-attention head on the previous token, the token itself and the next one.
struct Looks {
  double before = 0, self = 0, next = 0, entropy = 0;
  int64_t queries = 0;
};

void look(const inspect::Recorded& weights, int64_t h, Looks& to) {
  const std::vector<double> w = weights.head(h);
  const int64_t n = weights.shape[1], m = weights.shape[2];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      const double p = w[i * m + j];
      if (p > 0) to.entropy -= p * std::log(p);
      if (j == i - 1) to.before += p;
      if (j == i) to.self += p;
      if (j == i + 1) to.next += p;
    }
    ++to.queries;
  }
}

void show_looks(const Bench& bench, const Settings& settings, Report& r) {
  const decode::OpenModel m = bench.open(training_with_heads(4, 1, settings.updates));
  std::map<std::pair<std::string, int64_t>, Looks> all;
  const data::Corpus& test = bench.task().test;
  for (size_t i = 0; i < std::min(kSeenPairs, test.source.size()); ++i) {
    const auto seen = Bench::look(m, test, i);
    for (const auto& [name, weights] : seen.seen.tensors())
      if (name.ends_with(".self_attention.weights"))
        for (int64_t h = 0; h < weights.shape[0]; ++h) look(weights, h, all[{name.substr(0, name.rfind('.')), h}]);
  }
  Table t{"Where the heads of self-attention look (4 heads, seed 1): mean weight on the token before, itself, the next",
          {"layer", "head", "before", "itself", "next", "entropy, nats"},
          {}};
  int64_t local = 0;
  for (const auto& [head, l] : all) {
    const double n = static_cast<double>(l.queries);
    t.rows.push_back({head.first, cat(head.second)});
    for (const double v : {l.before, l.self, l.next, l.entropy}) t.rows.back().push_back(fmt::format("{:.2f}", v / n));
    local += std::max({l.before, l.self, l.next}) / n > 0.5;
  }
  r.tables.push_back(t);
  r.findings.push_back(fmt::format(
      "{} of {} heads of self-attention give more than half of their weight to one offset (the token before, the token "
      "itself, or the next).",
      local, all.size()));
}

}  // namespace

Report heads(const Settings& settings, Watcher& watcher) {
  Report r;
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const TrainedHeads trained = train_heads(bench, settings, watcher, r);
  show_trained_heads(trained, settings.updates, r);
  conclude_trained_heads(trained, r);
  prune_all(bench, settings, watcher, r);
  show_looks(bench, settings, r);
  r.method = {cat(about_dates(settings.test_pairs), " 2 + 2 layers, d_model 64, d_ff 128, no dropout; ",
                  text::counted(settings.updates, "update"),
                  " of 512 target tokens, learning rate 2e-3 after 100 updates. All numbers of heads have the same "
                  "parameters and "
                  "products."),
              "A head is pruned by setting its rows of W^O to zero; nothing is trained afterwards. Heads are ranked "
              "once, by the "
              "loss without each alone."};
  return r;
}

}  // namespace hexapla::lab
