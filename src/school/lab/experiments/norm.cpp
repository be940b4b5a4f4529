// Position and presence of the norm: how deep a stack trains, with and without warm-up.
#include <fmt/format.h>

#include <array>

#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

struct Variant {
  const char *name, *norm, *position;
};
constexpr std::array kVariants = {Variant{"post", "layer", "post"}, Variant{"pre", "layer", "pre"},
                                  Variant{"BatchNorm", "batch", "post"}, Variant{"none", "none", "post"}};
constexpr std::array kLayers = {2, 6, 12};  // in the encoder and in the decoder
constexpr std::array kWarmups = {1, 200};
// A model that knows only the frequencies of characters in dates has about 2 nats per token.
constexpr double kLearned = 1.0;

Training training_of(const Variant& v, int layers, int warmup, int64_t seed, int64_t updates) {
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

struct Cell {
  std::vector<double> losses;  // for seeds that did not diverge
  int64_t failed = 0;
};
using Cells = std::map<std::string, std::map<std::pair<int, int>, Cell>>;  // by layers and warm-up

Cells measure(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const int64_t all = static_cast<int64_t>(kVariants.size() * kLayers.size() * kWarmups.size()) * settings.seeds;
  Cells cells;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int layers : kLayers)
      for (const int warmup : kWarmups)
        for (const Variant& v : kVariants) {
          watcher.begins(done++, all,
                         fmt::format("{}, {} + {} layers, warm-up {}, seed {}", v.name, layers, layers, warmup, seed));
          const Result one = bench.train(training_of(v, layers, warmup, seed, settings.updates));
          Cell& cell = cells[v.name][{layers, warmup}];
          if (one.failed)
            ++cell.failed;
          else
            cell.losses.push_back(one.loss);
          record({{"norm", v.name}, {"layers", layers}, {"warmup", warmup}, {"seed", seed}}, one, r);
        }
  return cells;
}

std::string show(const Cell& c) {
  if (c.losses.empty()) return "not finite";
  return show(spread_of(c.losses), 3) + (c.failed ? fmt::format(", {} not finite", c.failed) : "");
}

bool learned(const Cell& c) { return c.failed == 0 && spread_of(c.losses).most < kLearned; }

void show_table(const Cells& cells, int64_t updates, Report& r) {
  Table t{fmt::format("Loss of unseen dates after {} updates, nats per token", updates), {"layers", "warm-up"}, {}};
  for (const Variant& v : kVariants) t.columns.emplace_back(v.name);
  for (const int layers : kLayers)
    for (const int warmup : kWarmups) {
      t.rows.push_back({fmt::format("{0} + {0}", layers), warmup == 1 ? "none" : fmt::format("{} updates", warmup)});
      for (const Variant& v : kVariants) t.rows.back().push_back(show(cells.at(v.name).at({layers, warmup})));
    }
  r.tables.push_back(t);
}

std::string depths(const Cells& cells, const Variant& v, int warmup) {
  std::vector<std::string> some;
  for (const int layers : kLayers)
    if (learned(cells.at(v.name).at({layers, warmup}))) some.push_back(fmt::format("{0} + {0}", layers));
  return some.empty() ? "no depth" : fmt::format("{}", fmt::join(some, ", "));
}

void conclude(const Cells& cells, Report& r) {
  for (const Variant& v : kVariants)
    r.findings.push_back(fmt::format(
        "{}: the loss of every seed falls below {} nats per token at {} layers with warm-up, at {} without.", v.name,
        kLearned, depths(cells, v, kWarmups.back()), depths(cells, v, kWarmups.front())));
}

}  // namespace

Report norm(const Settings& settings, Watcher& watcher) {
  Report r;
  const Cells cells = measure(settings, watcher, r);
  show_table(cells, settings.updates, r);
  conclude(cells, r);
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
