// Alternatives to softmax, trained alike.
#include <fmt/format.h>

#include <cmath>

#include "lab/bench/training.h"
#include "lab/experiments/softmax_scores.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr size_t kWatchedPairs = 40;  // used to measure concentration

Training training_with_score(const ScoreVariant& v, int64_t seed, int64_t updates) {
  Training t{.name = fmt::format("{}-{}", v.score, seed),
             .architecture = Bench::small(),
             .seed = static_cast<uint64_t>(seed),
             .updates = updates};
  t.architecture.score = t.architecture.score.parse("score", v.score);
  return t;
}

// Share of the absolute weight on each query's heaviest key, mean over all queries, heads and
// layers of attention over the source.
double concentration(const decode::OpenModel& m, const data::Corpus& pairs) {
  double sum = 0;
  int64_t rows = 0;
  for (size_t i = 0; i < std::min(kWatchedPairs, pairs.source.size()); ++i) {
    const auto seen = Bench::look(m, pairs, i);
    for (const auto& [name, weights] : seen.seen.tensors()) {
      if (!name.ends_with("cross_attention.weights")) continue;
      const size_t keys = static_cast<size_t>(weights.shape[2]);
      for (size_t row = 0; row < weights.values.size(); row += keys, ++rows) {
        double all = 0, most = 0;
        for (size_t u = row; u < row + keys; ++u)
          all += std::fabs(weights.values[u]), most = std::max(most, std::fabs(weights.values[u]));
        sum += all > 0 ? most / all : 0;
      }
    }
  }
  return sum / static_cast<double>(rows);
}

struct ScoreCell {
  std::vector<double> losses, right, heaviest;  // for seeds that did not diverge; the last two in percent
  int64_t failed = 0;
};
using ScoreCells = std::map<std::string, ScoreCell>;

ScoreCells measure_scores(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const int64_t all = std::ssize(kScores) * settings.seeds;
  ScoreCells cells;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const ScoreVariant& v : kScores) {
      watcher.begins(done++, all, fmt::format("{}, seed {}", v.score, seed));
      const Training t = training_with_score(v, seed, settings.updates);
      const Result one = bench.train(t);
      ScoreCell& cell = cells[v.score];
      double heaviest = 0;
      if (one.failed) {
        ++cell.failed;
      } else {
        heaviest = 100 * concentration(bench.open(t), bench.task().test);
        cell.losses.push_back(one.loss);
        cell.right.push_back(100 * one.accuracy);
        cell.heaviest.push_back(heaviest);
      }
      record({{"score", v.score}, {"seed", seed}, {"heaviest", heaviest}}, one, r);
    }
  return cells;
}

void show_scores(const ScoreCells& cells, int64_t updates, Report& r) {
  Table t{fmt::format("After {} on dates", text::counted(updates, "update")),
          {"weights", "loss of unseen dates, nats per token", "right in every character, %",
           "share of the heaviest key, %"},
          {}};
  for (const ScoreVariant& v : kScores) {
    const ScoreCell& c = cells.at(v.score);
    t.rows.push_back({fmt::format("`{}`: {}", v.score, v.what)});
    if (c.losses.empty()) {
      for (int i = 0; i < 3; ++i) t.rows.back().emplace_back("not finite");
      continue;
    }
    t.rows.back().push_back(show(spread_of(c.losses), 4) + (c.failed ? fmt::format(", {} not finite", c.failed) : ""));
    t.rows.back().push_back(show(spread_of(c.right), 1));
    t.rows.back().push_back(show(spread_of(c.heaviest), 0));
  }
  r.tables.push_back(t);
}

void conclude_scores(const ScoreCells& cells, Report& r) {
  const ScoreCell& softmax = cells.at("scaled-dot");
  for (const ScoreVariant& v : kScores) {
    const ScoreCell& c = cells.at(v.score);
    if (&c == &softmax) continue;
    r.findings.push_back(c.losses.empty() || softmax.losses.empty()
                             ? fmt::format("`{}`: no finite loss to compare.", v.score)
                             : fmt::format("`{}`: loss {}, with the softmax {}; {}.", v.score,
                                           show(spread_of(c.losses), 4), show(spread_of(softmax.losses), 4),
                                           compare(with_failed(softmax.losses, softmax.failed), "with the softmax",
                                                   with_failed(c.losses, c.failed), "without")));
  }
}

}  // namespace

Report softmax(const Settings& settings, Watcher& watcher) {
  if (!settings.train_sets.empty()) return softmax_on_text(settings, watcher);
  if (settings.minutes > 0)
    throw UsageError("on made-up dates the experiment softmax has a fixed number of updates", "minutes",
                     cat(settings.minutes));
  Report r;
  const ScoreCells cells = measure_scores(settings, watcher, r);
  show_scores(cells, settings.updates, r);
  conclude_scores(cells, r);
  r.method = {
      cat(about_dates(settings.test_pairs), " 2 + 2 layers, d_model 64, d_ff 128, 4 heads, no dropout; ",
          text::counted(settings.updates, "update"),
          " of 512 target tokens, learning rate 2e-3 after 100 updates, for all alike. ", kScoreNotation,
          " All places of attention in the model weigh alike. "
          "The share of the heaviest key is that of attention over the source, in absolute value. Weights other "
          "than the softmax are computed by plain code, so their seconds say nothing about their cost.")};
  return r;
}

}  // namespace hexapla::lab
