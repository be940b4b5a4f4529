// Alternatives to softmax on parallel text, each with the same recipe.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/bench/found_once.h"
#include "lab/bench/text_bench.h"
#include "lab/experiments/softmax_scores.h"
#include "lab/spread.h"
#include "text/quantities.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::lab {
namespace {

using All = std::map<std::string, SeedScores>;

train::TrainOptions options_with_score(const TextBench& bench, const ScoreVariant& v, int64_t updates) {
  train::TrainOptions o = bench.options(updates);
  o.architecture.score = o.architecture.score.parse("score", v.score);
  o.architecture.attention_dropout = 0;  // it is applied to softmax weights only
  return o;
}

// Updates so that all trainings take about the given minutes. The plan is stored, so that a run can
// resume.
int64_t planned_text_updates(const Settings& s, const TextBench& bench) {
  if (s.minutes == 0) return s.updates;
  const nlohmann::json settings = {
      {"minutes", s.minutes}, {"seeds", s.seeds}, {"options", train::dump_options(bench.options(1))}};
  return found_once(s.folder + "/plan", settings, [&] {
    double seconds = 0;  // for one update of each
    for (const ScoreVariant& v : kScores)
      seconds += bench.seconds_per_update(fmt::format("probe-{}", v.score), options_with_score(bench, v, 1));
    const double training = 0.8 * 60 * s.minutes / static_cast<double>(s.seeds);  // the rest is for testing
    return nlohmann::json(std::max<int64_t>(10, std::llround(training / seconds)));
  });
}

All measure_text(const Settings& s, const TextBench& bench, const BleuTable& table, int64_t updates, Watcher& watcher,
                 Report& r) {
  All all;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= s.seeds; ++seed)
    for (const ScoreVariant& v : kScores) {
      watcher.begins(done++, std::ssize(kScores) * s.seeds, fmt::format("{}, seed {}", v.score, seed));
      train::TrainOptions o = options_with_score(bench, v, updates);
      o.seed = static_cast<uint64_t>(seed);
      add(bench.train(fmt::format("{}-{}", v.score, seed), o), table, {{"score", v.score}, {"seed", seed}},
          all[v.score], r);
    }
  return all;
}

void show_text(const All& all, int64_t updates, Report& r) {
  Table t{fmt::format("After {}", text::counted(updates, "update")),
          {"weights", "loss of the validation sets, nats per token", "BLEU"},
          {}};
  for (const ScoreVariant& v : kScores) {
    const SeedScores& f = all.at(v.score);
    const std::string name = fmt::format("`{}`: {}", v.score, v.what);
    if (f.losses.empty())
      t.rows.push_back({name, "not finite", ""});
    else
      t.rows.push_back({name, show(spread_of(f.losses), 3) + (f.failed ? fmt::format(", {} not finite", f.failed) : ""),
                        show_bleu(f)});
  }
  r.tables.push_back(std::move(t));
}

void conclude_text(const All& all, int64_t updates, Report& r) {
  const SeedScores& softmax = all.at(kScores.front().score);
  double best = 0;
  for (const auto& [score, f] : all) best = std::max(best, f.bleu.score);
  add_if_too_short("the best of these models", best, updates, r);
  for (const ScoreVariant& v : kScores) {
    const SeedScores& f = all.at(v.score);
    if (&f == &softmax) continue;
    if (f.losses.empty() || softmax.losses.empty()) {
      r.findings.push_back(fmt::format("`{}`: no finite loss to compare.", v.score));
      continue;
    }
    const std::string with = "with the softmax", without = "without";
    r.findings.push_back(fmt::format(
        "`{}`: BLEU {}, with the softmax {}, {}; loss {} and {}, {}.", v.score, show_bleu(f), show_bleu(softmax),
        compare(with_failed(negative(softmax.scores), softmax.failed), with, with_failed(negative(f.scores), f.failed),
                without),
        show(spread_of(f.losses), 3), show(spread_of(softmax.losses), 3),
        compare(with_failed(softmax.losses, softmax.failed), with, with_failed(f.losses, f.failed), without)));
  }
}

}  // namespace

Report softmax_on_text(const Settings& settings, Watcher& watcher) {
  const TextBench bench(settings, watcher);
  const BleuTable table(bench.references());
  const int64_t updates = planned_text_updates(settings, bench);
  Report r;
  const All all = measure_text(settings, bench, table, updates, watcher, r);
  show_text(all, updates, r);
  conclude_text(all, updates, r);
  const train::TrainOptions base = bench.options(updates);
  r.method = {fmt::format(
      "Text: {}; {} validation lines, of which loss and BLEU (beam 4, cased, tokenizer {}) are taken. Preset {} with "
      "batches of at most {} target tokens, its warm-up in at most a fourth of the updates, without dropout on weights "
      "and without the mean of checkpoints, for all alike: the recipe was found with the softmax. {} All places of "
      "attention in the model "
      "weigh "
      "alike. ± is the 95 % interval of 1,000 resamples of the lines, of one seed: other seeds may differ by more.",
      fmt::join(bench.data().sets, ", "), bench.references().size(), table.tokenizer(), settings.preset,
      text::grouped(base.batch_tokens * base.accumulate), kScoreNotation)};
  return r;
}

}  // namespace hexapla::lab
