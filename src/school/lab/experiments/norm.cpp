// Position and presence of the norm: how deep a stack trains, with and without warm-up.
#include <fmt/format.h>

#include <array>

#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

struct NormVariant {
  const char *name, *norm, *position;
};
constexpr std::array kVariants = {NormVariant{"post", "layer", "post"}, NormVariant{"pre", "layer", "pre"},
                                  NormVariant{"BatchNorm", "batch", "post"}, NormVariant{"none", "none", "post"}};
constexpr std::array kDepths = {2, 6, 12};  // in the encoder and in the decoder
constexpr std::array kWarmups = {1, 200};
// A model that knows only the frequencies of characters in dates has about 2 nats per token.
constexpr double kLearned = 1.0;

Training training_with_norm(const NormVariant& v, int layers, int warmup, int64_t seed, int64_t updates) {
  Training t{.name = fmt::format("{}-{}-{}-{}", v.name, layers, warmup, seed),
             .architecture = Bench::small(),
             .seed = static_cast<uint64_t>(seed),
             .updates = updates,
             .warmup = warmup};
  t.architecture.norm = t.architecture.norm.parse("norm", v.norm);
  t.architecture.norm_position = t.architecture.norm_position.parse("norm-position", v.position);
  t.architecture.enc_layers = t.architecture.dec_layers = layers;
  return t;
}

struct NormCell {
  std::vector<double> losses;  // for seeds that did not diverge
  int64_t failed = 0;
};
using NormCells = std::map<std::string, std::map<std::pair<int, int>, NormCell>>;  // by layers and warm-up

NormCells measure_norms(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const int64_t all = static_cast<int64_t>(kVariants.size() * kDepths.size() * kWarmups.size()) * settings.seeds;
  NormCells cells;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int layers : kDepths)
      for (const int warmup : kWarmups)
        for (const NormVariant& v : kVariants) {
          watcher.begins(done++, all,
                         fmt::format("{}, {} + {} layers, warm-up {}, seed {}", v.name, layers, layers, warmup, seed));
          const Result one = bench.train(training_with_norm(v, layers, warmup, seed, settings.updates));
          NormCell& cell = cells[v.name][{layers, warmup}];
          if (one.failed)
            ++cell.failed;
          else
            cell.losses.push_back(one.loss);
          record({{"norm", v.name}, {"layers", layers}, {"warmup", warmup}, {"seed", seed}}, one, r);
        }
  return cells;
}

std::string show(const NormCell& c) {
  if (c.losses.empty()) return "not finite";
  return show(spread_of(c.losses), 3) + (c.failed ? fmt::format(", {} not finite", c.failed) : "");
}

bool learned(const NormCell& c) { return c.failed == 0 && spread_of(c.losses).most < kLearned; }

void show_norms(const NormCells& cells, int64_t updates, Report& r) {
  Table t{fmt::format("Loss of unseen dates after {} updates, nats per token", updates), {"layers", "warm-up"}, {}};
  for (const NormVariant& v : kVariants) t.columns.emplace_back(v.name);
  for (const int layers : kDepths)
    for (const int warmup : kWarmups) {
      t.rows.push_back({fmt::format("{0} + {0}", layers), warmup == 1 ? "none" : fmt::format("{} updates", warmup)});
      for (const NormVariant& v : kVariants) t.rows.back().push_back(show(cells.at(v.name).at({layers, warmup})));
    }
  r.tables.push_back(t);
}

std::string depths(const NormCells& cells, const NormVariant& v, int warmup) {
  std::vector<std::string> some;
  for (const int layers : kDepths)
    if (learned(cells.at(v.name).at({layers, warmup}))) some.push_back(fmt::format("{0} + {0}", layers));
  return some.empty() ? "no depth" : fmt::format("{}", fmt::join(some, ", "));
}

void conclude_norms(const NormCells& cells, Report& r) {
  for (const NormVariant& v : kVariants)
    r.findings.push_back(fmt::format(
        "{}: the loss of every seed falls below {} nats per token at {} layers with warm-up, at {} without.", v.name,
        kLearned, depths(cells, v, kWarmups.back()), depths(cells, v, kWarmups.front())));
}

}  // namespace

Report norm(const Settings& settings, Watcher& watcher) {
  Report r;
  const NormCells cells = measure_norms(settings, watcher, r);
  show_norms(cells, settings.updates, r);
  conclude_norms(cells, r);
  r.method = {
      about_dates(settings.test_pairs) +
      fmt::format(" d_model 64, d_ff 128, 4 heads, no dropout; {} of 512 target tokens, peak learning rate "
                  "2e-3, reached "
                  "after 200 updates or at once. \"post\" is the paper's LayerNorm(x + Sublayer(x)), \"pre\" x + "
                  "Sublayer(LayerNorm(x)), \"BatchNorm\" stands where the paper's norm does, \"none\" is x + "
                  "Sublayer(x). Weights "
                  "start as they do in every training (docs/adr/0011).",
                  text::counted(settings.updates, "update"))};
  return r;
}

}  // namespace hexapla::lab
