// Sinusoidal, learned, or no positions: on a task about order, and at lengths not seen in training.
#include <fmt/format.h>

#include <array>

#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kEncodings = {"sinusoidal", "learned", "none"};
constexpr int64_t kShortest = 4, kLongest = 12;  // digits, in training
struct Lengths {
  int64_t least, most;
};
constexpr std::array kTests = {Lengths{4, 8}, Lengths{9, 12}, Lengths{13, 16}, Lengths{17, 24}};

Training training_with_positions(const std::string& kind, int64_t seed, int64_t updates) {
  Training t{.name = fmt::format("{}-{}", kind, seed),
             .architecture = Bench::small(),
             .seed = static_cast<uint64_t>(seed),
             .updates = updates};
  t.architecture.positions = t.architecture.positions.parse("positions", kind);
  t.architecture.max_positions = 64;
  return t;
}

using Accuracies = std::map<std::string, std::vector<std::vector<double>>>;  // percent, by kTests and seed

Accuracies measure_positions(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, reversal(kShortest, kLongest, settings.test_pairs));
  const int64_t all = std::ssize(kEncodings) * settings.seeds;
  Accuracies found;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const char* kind : kEncodings) {
      watcher.begins(done++, all, fmt::format("{}, seed {}", kind, seed));
      const Training t = training_with_positions(kind, seed, settings.updates);
      const Result one = bench.train(t);
      if (one.failed) throw RunError(cat("the training of positions ", kind, " with seed ", seed, " diverged"));
      nlohmann::ordered_json by_length;
      found[kind].resize(kTests.size());
      const decode::OpenModel m = bench.open(t);
      for (size_t i = 0; i < kTests.size(); ++i) {
        const auto pairs = reversed_digits(kTests[i].least, kTests[i].most, settings.test_pairs, 3);
        found[kind][i].push_back(100 * Bench::test(m, pairs).accuracy);
        by_length.push_back(found[kind][i].back());
      }
      record({{"positions", kind}, {"seed", seed}, {"right_by_length", by_length}}, one, r);
    }
  return found;
}

std::string named(const Lengths& l) { return fmt::format("{} to {}", l.least, l.most); }

void show_positions(const Accuracies& found, int64_t updates, Report& r) {
  Table t{fmt::format("Strings that come out right in every digit, %, after {} updates on {} to {} digits", updates,
                      kShortest, kLongest),
          {"digits"},
          {}};
  inspect::Chart chart{.title = "Right in every digit, %", .x_label = "digits, at most", .series = {}};
  for (const char* kind : kEncodings) {
    t.columns.emplace_back(kind);
    chart.series.push_back({.name = kind, .points = {}, .marked = true});
    for (size_t i = 0; i < kTests.size(); ++i)
      add_point(static_cast<double>(kTests[i].most), spread_of(found.at(kind)[i]), chart.series.back());
  }
  for (size_t i = 0; i < kTests.size(); ++i) {
    t.rows.push_back({named(kTests[i])});
    for (const char* kind : kEncodings) t.rows.back().push_back(show(spread_of(found.at(kind)[i]), 1));
  }
  r.tables.push_back(t);
  r.charts.push_back(chart);
}

void conclude_positions(const Accuracies& found, Report& r) {
  const auto at = [&](const char* kind, size_t i) { return spread_of(found.at(kind)[i]); };
  r.findings.push_back(
      fmt::format("At the lengths of training ({}) {} % of the strings are right with sinusoidal positions, {} % with "
                  "learned ones, "
                  "{} % with none.",
                  named(kTests[0]), show(at("sinusoidal", 0), 1), show(at("learned", 0), 1), show(at("none", 0), 1)));
  std::vector<double> wrong_sinusoidal, wrong_learned;
  for (const double right : found.at("sinusoidal")[2]) wrong_sinusoidal.push_back(100 - right);
  for (const double right : found.at("learned")[2]) wrong_learned.push_back(100 - right);
  r.findings.push_back(
      fmt::format("At {} digits, which no training has seen, {} % with sinusoidal and {} % with learned positions; {}.",
                  named(kTests[2]), show(at("sinusoidal", 2), 1), show(at("learned", 2), 1),
                  verdict(wrong_sinusoidal, wrong_learned, "sinusoids")));
}

}  // namespace

Report positions(const Settings& settings, Watcher& watcher) {
  Report r;
  const Accuracies found = measure_positions(settings, watcher, r);
  show_positions(found, settings.updates, r);
  conclude_positions(found, r);
  r.method = {fmt::format(
      "Strings of {} to {} digits, backwards; tested on {} strings for each range of lengths. 2 + 2 layers, d_model "
      "64, "
      "d_ff 128, 4 heads, no dropout; {} of 512 target tokens, learning rate 2e-3 after 100 updates. Learned "
      "positions have 64 vectors; those beyond the lengths of training are as they were initialized.",
      kShortest, kLongest, settings.test_pairs, text::counted(settings.updates, "update"))};
  return r;
}

}  // namespace hexapla::lab
