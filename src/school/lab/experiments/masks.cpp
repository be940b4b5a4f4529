// The decoder without its mask: what leaks in training, and what remains in translation.
#include <fmt/format.h>

#include <array>

#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kMasks = {"causal", "none"};

struct MaskCell {
  std::vector<double> given, past, wrong;  // nats per token twice, percent
};
using MaskCells = std::map<std::string, MaskCell>;

// The loss if the decoder sees only earlier tokens, however it was trained.
double loss_of_the_past(decode::OpenModel m, const data::Corpus& pairs) {
  std::visit(
      [](auto& stack) {
        for (model::DecoderLayer& layer : stack) std::get<model::SelfAttention>(layer.mixing).causal = true;
      },
      m.file.net->decoder.layers);
  return Bench::loss(m, pairs);
}

MaskCells measure_masks(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  MaskCells cells;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const std::string mask : kMasks) {
      watcher.begins(done++, std::ssize(kMasks) * settings.seeds, fmt::format("mask {}, seed {}", mask, seed));
      Training t{.name = fmt::format("{}-{}", mask, seed),
                 .architecture = Bench::small(),
                 .seed = static_cast<uint64_t>(seed),
                 .updates = settings.updates};
      t.architecture.decoder_mask = t.architecture.decoder_mask.parse("decoder-mask", mask);
      const Result one = bench.train(t);
      if (one.failed) throw RunError(cat("the training with mask ", mask, " and seed ", seed, " diverged"));
      const double past = loss_of_the_past(bench.open(t), bench.task().test);
      cells[mask].given.push_back(one.loss);
      cells[mask].past.push_back(past);
      cells[mask].wrong.push_back(100 * (1 - one.accuracy));
      record({{"mask", mask}, {"seed", seed}, {"loss_of_the_past", past}}, one, r);
    }
  return cells;
}

void show_masks(const MaskCells& cells, int64_t updates, Report& r) {
  Table t{fmt::format("After {} on dates", text::counted(updates, "update")),
          {"mask in training", "loss, as in training", "loss where only the past is seen", "wrong dates, %"},
          {}};
  for (const char* mask : kMasks) {
    const MaskCell& c = cells.at(mask);
    t.rows.push_back({mask, show(spread_of(c.given), 4), show(spread_of(c.past), 4), show(spread_of(c.wrong), 1)});
  }
  r.tables.push_back(t);
}

void conclude_masks(const MaskCells& cells, Report& r) {
  const MaskCell &causal = cells.at("causal"), &none = cells.at("none");
  r.findings.push_back(fmt::format(
      "Measured as in training, where the whole target is given, the loss of unseen dates is {} nats per token without "
      "the mask and {} with it; {}.",
      show(spread_of(none.given), 4), show(spread_of(causal.given), 4),
      compare(causal.given, "with the mask", none.given, "without the mask")));
  r.findings.push_back(fmt::format(
      "Where the same models see only the past, as in a translation, it is {} without the mask in training and {} with "
      "it; {}.",
      show(spread_of(none.past), 4), show(spread_of(causal.past), 4),
      compare(causal.past, "with the mask", none.past, "without the mask")));
  r.findings.push_back(fmt::format("Of the translations, {} % are wrong without the mask and {} % with it; {}.",
                                   show(spread_of(none.wrong), 1), show(spread_of(causal.wrong), 1),
                                   compare(causal.wrong, "with the mask", none.wrong, "without the mask")));
}

}  // namespace

Report masks(const Settings& settings, Watcher& watcher) {
  Report r;
  const MaskCells cells = measure_masks(settings, watcher, r);
  show_masks(cells, settings.updates, r);
  conclude_masks(cells, r);
  r.method = {cat(
      about_dates(settings.test_pairs), " 2 + 2 layers, d_model 64, d_ff 128, 4 heads, no dropout; ",
      text::counted(settings.updates, "update"),
      " of 512 target tokens, learning rate 2e-3 after 100 updates. Without the mask a token of the target sees "
      "those after it, and the next one is what it is asked for. A translation is made from left to right: there the "
      "decoder sees only the past, with either model, as there is nothing else yet. The loss of the past is that of "
      "the given target with the mask put back after training.")};
  return r;
}

}  // namespace hexapla::lab
