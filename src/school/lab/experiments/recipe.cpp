// Parts of the paper's recipe, varied one at a time.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

struct Level {
  std::string name;                     // "0.1"
  std::function<void(Training&)> make;  // modifies a small training
};

struct LevelCell {
  std::vector<double> losses, wrong;  // for seeds that did not diverge; wrong: dates, percent
  int64_t failed = 0, parameters = 0;
};

LevelCell measure_level(const Bench& bench, const std::string& what, const Level& level, const Settings& settings,
                        const std::function<void(const std::string&)>& begins, Report& r) {
  LevelCell cell;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed) {
    begins(fmt::format("{} {}, seed {}", what, level.name, seed));
    Training t{.name = fmt::format("{}-{}", level.name, seed),
               .architecture = Bench::small(),
               .seed = static_cast<uint64_t>(seed),
               .updates = settings.updates};
    level.make(t);
    const Result one = bench.train(t);
    if (one.failed) {
      ++cell.failed;
    } else {
      cell.losses.push_back(one.loss);
      cell.wrong.push_back(100 * (1 - one.accuracy));
      cell.parameters = bench.open(t).file.parameters->count();
    }
    record({{"level", level.name}, {"seed", seed}}, one, r);
  }
  return cell;
}

std::vector<std::string> level_row(const Level& level, const LevelCell& c) {
  if (c.losses.empty()) return {level.name, "not finite", "not finite", ""};
  return {level.name, show(spread_of(c.losses), 4) + (c.failed ? fmt::format(", {} not finite", c.failed) : ""),
          show(spread_of(c.wrong), 1), text::grouped(c.parameters)};
}

std::string finding(const std::string& what, const Level& a, const LevelCell& of_a, const Level& b,
                    const LevelCell& of_b) {
  if (of_a.losses.empty() || of_b.losses.empty())
    return fmt::format("{} {} and {}: no finite loss to compare.", what, b.name, a.name);
  const std::string with_a = "with " + a.name, with_b = "with " + b.name;
  const auto all = [](const std::vector<double>& some, const LevelCell& c) { return with_failed(some, c.failed); };
  return fmt::format("{} {} against {}: loss {} against {}, {}; wrong dates, %: {} against {}, {}.", what, b.name,
                     a.name, show(spread_of(of_b.losses), 4), show(spread_of(of_a.losses), 4),
                     compare(all(of_a.losses, of_a), with_a, all(of_b.losses, of_b), with_b),
                     show(spread_of(of_b.wrong), 1), show(spread_of(of_a.wrong), 1),
                     compare(all(of_a.wrong, of_a), with_a, all(of_b.wrong, of_b), with_b));
}

// Trains every level with every seed on dates, and adds table, figures, findings and method to the
// report. Findings compare each level with the first. InternalError: fewer than two levels.
void compare_levels(const std::string& what, const std::vector<Level>& levels, const Settings& settings,
                    Watcher& watcher, Report& r) {
  HEXAPLA_CHECK(levels.size() > 1, "nothing to compare ", levels.size(), " level with");
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const int64_t all = std::ssize(levels) * settings.seeds;
  int64_t done = 0;
  const auto begins = [&](const std::string& name) { watcher.begins(done++, all, name); };
  Table t{fmt::format("After {} on dates", text::counted(settings.updates, "update")),
          {what, "loss of unseen dates, nats per token", "wrong dates, %", "parameters"},
          {}};
  std::vector<LevelCell> cells;
  for (const Level& level : levels) {
    cells.push_back(measure_level(bench, what, level, settings, begins, r));
    t.rows.push_back(level_row(level, cells.back()));
  }
  r.tables.push_back(t);
  for (size_t i = 1; i < levels.size(); ++i)
    r.findings.push_back(finding(what, levels[0], cells[0], levels[i], cells[i]));
  r.method.push_back(
      cat(about_dates(settings.test_pairs),
          " 2 + 2 layers, d_model 64, d_ff 128, 4 heads; no dropout, no label smoothing and one table of "
          "embeddings where nothing else is said; ",
          text::counted(settings.updates, "update"),
          " of 512 target tokens, learning rate 2e-3 after 100 updates. A date is wrong if one character "
          "is."));
}

}  // namespace

Report smoothing(const Settings& settings, Watcher& watcher) {
  const auto with = [](double mass) { return [mass](Training& t) { t.label_smoothing = mass; }; };
  Report r;
  compare_levels("label smoothing", {{"0", with(0)}, {"0.1", with(0.1)}, {"0.3", with(0.3)}}, settings, watcher, r);
  return r;
}

Report tied(const Settings& settings, Watcher& watcher) {
  const auto with = [](const char* kind) {
    return [kind](Training& t) { t.architecture.tied = t.architecture.tied.parse("tied", kind); };
  };
  Report r;
  compare_levels("tied", {{"all", with("all")}, {"decoder", with("decoder")}, {"none", with("none")}}, settings,
                 watcher, r);
  return r;
}

Report dropout(const Settings& settings, Watcher& watcher) {
  const auto with = [](double p) { return [p](Training& t) { t.architecture.dropout = p; }; };
  Report r;
  compare_levels("dropout", {{"0", with(0)}, {"0.1", with(0.1)}, {"0.3", with(0.3)}}, settings, watcher, r);
  return r;
}

}  // namespace hexapla::lab
