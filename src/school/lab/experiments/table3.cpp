// The paper's Table 3 at a feasible scale: rows A to E on made-up dates, or on the user's text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/bench/found_once.h"
#include "lab/bench/text_bench.h"
#include "lab/bench/training.h"
#include "lab/experiments/table3_rows.h"
#include "lab/spread.h"
#include "text/quantities.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::lab {
namespace {

using train::TrainOptions;

struct Measured : SeedScores {  // scores: % of dates, or BLEU
  int64_t parameters = 0, updates = 0;
};

// Trains the rows, on dates or on text.
class Runs {
 public:
  virtual ~Runs() = default;
  virtual TrainOptions base(int64_t updates) const = 0;
  // Trains once and adds its scores.
  virtual void add(const std::string& name, const TrainOptions& o, Measured& m, nlohmann::ordered_json which,
                   Report& r) = 0;
  virtual double seconds_per_update() = 0;  // for the base
  virtual std::string score_name() const = 0;
  virtual std::string show_score(const Measured& m) const = 0;
  virtual bool has_bleu() const = 0;
  virtual std::string method(const TrainOptions& base) const = 0;
};

class OnDates : public Runs {
 public:
  OnDates(const Settings& s, Watcher& w) : tests_(s.test_pairs), bench_(s, w, dates(s.test_pairs)) {}

  TrainOptions base(int64_t updates) const override {
    TrainOptions o;
    o.architecture = Bench::small();
    o.architecture.dropout = 0.1;
    o.label_smoothing = 0.1;
    o.vocab_size = bench_.task().pieces;
    o.max_updates = updates;
    o.lr = Training().lr;
    return o;
  }
  void add(const std::string& name, const TrainOptions& o, Measured& m, nlohmann::ordered_json which,
           Report& r) override {
    const Training t = training_of(name, o);
    const Result one = bench_.train(t);
    record(std::move(which), one, r);
    if (one.failed) {
      ++m.failed;
      return;
    }
    m.losses.push_back(one.loss);
    m.scores.push_back(100 * one.accuracy);
    m.parameters = bench_.open(t).file.parameters->count();
  }
  double seconds_per_update() override {
    const int64_t updates = 40;
    return bench_.train(training_of("probe", base(updates))).seconds / static_cast<double>(updates);
  }
  bool has_bleu() const override { return false; }
  std::string score_name() const override { return "right dates, %"; }
  std::string show_score(const Measured& m) const override { return show(spread_of(m.scores), 1); }
  std::string method(const TrainOptions&) const override {
    return cat(about_dates(tests_),
               " Base: 2 + 2 layers, d_model 64, d_ff 128, 4 heads, dropout and label smoothing 0.1; batches of 512 "
               "target tokens, learning rate 2e-3 after 100 updates.");
  }

 private:
  static Training training_of(const std::string& name, const TrainOptions& o) {
    return {.name = name,
            .architecture = o.architecture,
            .seed = o.seed,
            .updates = o.max_updates,
            .lr = o.lr,
            .label_smoothing = o.label_smoothing};
  }

  int64_t tests_;
  Bench bench_;
};

class OnText : public Runs {
 public:
  OnText(const Settings& s, Watcher& w) : preset_(s.preset), bench_(s, w), bleu_(bench_.references()) {}

  TrainOptions base(int64_t updates) const override { return bench_.options(updates); }
  void add(const std::string& name, const TrainOptions& o, Measured& m, nlohmann::ordered_json which,
           Report& r) override {
    const TextResult one = bench_.train(name, o);
    lab::add(one, bleu_, std::move(which), m, r);
    if (!one.failed) m.parameters = one.parameters;
  }
  double seconds_per_update() override { return bench_.seconds_per_update("probe", base(1)); }
  bool has_bleu() const override { return true; }
  std::string score_name() const override { return "BLEU"; }
  std::string show_score(const Measured& m) const override { return show_bleu(m); }
  std::string method(const TrainOptions& base) const override {
    return fmt::format(
        "Text: {}; {} validation lines, of which perplexity and BLEU (beam 4, cased, tokenizer {}) are taken. Base: "
        "preset {} with batches of at most 2,048 target tokens, its warm-up in at most a fourth of the updates, "
        "without "
        "the mean of checkpoints, as in the paper's table. ± is the 95 % interval of 1,000 resamples of the lines, of "
        "one "
        "seed: other seeds may differ by more.",
        fmt::join(bench_.data().sets, ", "), bench_.references().size(), bleu_.tokenizer(), preset_,
        text::grouped(base.batch_tokens * base.accumulate));
  }

 private:
  std::string preset_;
  TextBench bench_;
  BleuTable bleu_;
};

std::unique_ptr<Runs> runs_of(const Settings& s, Watcher& w) {
  if (s.train_sets.empty()) return std::make_unique<OnDates>(s, w);
  return std::make_unique<OnText>(s, w);
}

// Updates so that all rows take about the given minutes. The plan is stored, so that a run can
// resume.
int64_t planned_updates(const Settings& s, Runs& runs) {
  if (s.minutes == 0) return s.updates;
  const nlohmann::json settings = {
      {"minutes", s.minutes}, {"seeds", s.seeds}, {"base", train::dump_options(runs.base(1))}};
  return found_once(s.folder + "/plan", settings, [&] {
    const TrainOptions base = runs.base(1000);
    double work = 0;  // for all rows, in trainings of the base
    for (const Table3Row& row : table3_rows(base)) {
      TrainOptions o = base;
      row.make(o);
      work += work_per_token(o) / work_per_token(base) * static_cast<double>(o.max_updates) / 1000;
    }
    const double seconds = 0.8 * 60 * s.minutes / static_cast<double>(s.seeds);  // the rest is for testing
    return nlohmann::json(std::max<int64_t>(10, std::llround(seconds / (work * runs.seconds_per_update()))));
  });
}

struct Line {
  Table3Row row;
  Measured found;
};

std::vector<Line> measure_rows(const Settings& s, Watcher& watcher, Runs& runs, int64_t updates, Report& r) {
  const TrainOptions base = runs.base(updates);
  std::vector<Line> lines;
  const std::vector<Table3Row> rows = table3_rows(base);
  const int64_t all = std::ssize(rows) * s.seeds;
  int64_t done = 0;
  for (const Table3Row& row : rows) {
    Line line{row, {}};
    for (int64_t seed = 1; seed <= s.seeds; ++seed) {
      watcher.begins(done++, all, fmt::format("{}, seed {}", row.name, seed));
      TrainOptions o = base;
      row.make(o);
      o.seed = static_cast<uint64_t>(seed);
      line.found.updates = o.max_updates;
      runs.add(fmt::format("{}-{}", row.name, seed), o, line.found, {{"row", row.name}, {"seed", seed}}, r);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

Spread perplexities(const Measured& m) {
  std::vector<double> all;
  for (const double loss : m.losses) all.push_back(std::exp(loss));
  return spread_of(all);
}

std::vector<std::string> cells(const Line& line, const Runs& runs) {
  const auto& [row, m] = line;
  const std::string group = row.name.substr(0, row.name.find('-')), paper = fmt::format("{:.2f}", row.paper),
                    bleu = fmt::format("{:.1f}", row.paper_bleu);
  if (m.losses.empty()) return {group, row.change, "not finite", "", "", "", paper, bleu};
  return {group,
          row.change,
          show(perplexities(m), 3) + (m.failed ? fmt::format(", {} not finite", m.failed) : ""),
          runs.show_score(m),
          text::grouped(m.parameters),
          text::grouped(m.updates),
          paper,
          bleu};
}

// A measure, here and in the paper; `here`: per seed, lower is better.
struct Measure {
  std::string name;
  std::vector<double> (*here)(const Measured&);
  double (*than_base)(const Table3Row&);  // in the paper: negative is better
};
const Measure kPerplexity{"perplexity", [](const Measured& m) { return with_failed(m.losses, m.failed); },
                          [](const Table3Row& row) { return row.paper - kPaperBase; }};
const Measure kBleu{"BLEU", [](const Measured& m) { return with_failed(negative(m.scores), m.failed); },
                    [](const Table3Row& row) { return kPaperBleu - row.paper_bleu; }};

void show_findings(const Measure& by, const std::vector<Line>& lines, Report& r) {
  const std::vector<double> base = by.here(lines.front().found);
  std::vector<std::string> alike, unlike, open;
  for (const Line& line : lines) {
    if (&line == &lines.front()) continue;
    const std::vector<double> row = by.here(line.found);
    const Verdict found = judge(row, base);
    if (found == Verdict::none) {
      r.findings.push_back(fmt::format("By {}, one seed says nothing of a row beside the base: no verdict.", by.name));
      return;
    }
    const bool better = found == Verdict::first;
    const double there = by.than_base(line.row);
    if (found == Verdict::not_apart)
      open.push_back(line.row.change);
    else
      (there != 0 && better == (there < 0) ? alike : unlike)
          .push_back(fmt::format("{} ({})", line.row.change, better ? "better" : "worse"));
  }
  const auto say = [&](const char* what, const std::vector<std::string>& which) {
    if (!which.empty()) r.findings.push_back(fmt::format("By {}, {}: {}.", by.name, what, fmt::join(which, ", ")));
  };
  say("told apart from the base, on the side of the paper's numbers", alike);
  say("told apart from the base, on another side than the paper's numbers", unlike);
  say("not told apart from the base", open);
  const double wrong = false_positives(base.size(), base.size()) * static_cast<double>(lines.size() - 1);
  r.findings.push_back(
      fmt::format("If no row differed from the base, {:.1f} of these {} would be told apart from it by chance.", wrong,
                  lines.size() - 1));
}

// The rows in the table's order.
inspect::Chart chart_of(const std::vector<Line>& lines) {
  inspect::Chart chart{.title = "Perplexity", .x_label = "row of the table", .series = {}};
  chart.series.push_back({.name = "mean of the seeds", .points = {}, .marked = true});
  for (size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].found.losses.empty())
      add_point(static_cast<double>(i + 1), perplexities(lines[i].found), chart.series[0]);
  return chart;
}

}  // namespace

Report table3(const Settings& settings, Watcher& watcher) {
  const auto runs = runs_of(settings, watcher);
  const int64_t updates = planned_updates(settings, *runs);
  Report r;
  const std::vector<Line> lines = measure_rows(settings, watcher, *runs, updates, r);
  Table t{"The rows of Table 3; what is not named is the base's",
          {"", "changed", "perplexity", runs->score_name(), "parameters", "updates", "perplexity in the paper",
           "BLEU in the paper"},
          {}};
  for (const Line& line : lines) t.rows.push_back(cells(line, *runs));
  r.tables.push_back(std::move(t));
  r.charts.push_back(chart_of(lines));
  const Measured& first = lines.front().found;
  if (runs->has_bleu()) add_if_too_short("the base", first.bleu.score, first.updates, r);
  show_findings(kPerplexity, lines, r);
  if (runs->has_bleu()) show_findings(kBleu, lines, r);
  r.method.push_back(runs->method(runs->base(updates)));
  r.method.push_back(
      "The paper's rows have its base's numbers; here they are changed by the same factors. The learning rate of a row "
      "with another d_model is the base's by the paper's formula, d_model^-0.5. The paper's perplexities "
      "and BLEU are of newstest2013, per piece, after 100,000 updates (the big model: 300,000), one number for each "
      "row: "
      "they say only which way a row went, and by the same measure.");
  return r;
}

}  // namespace hexapla::lab
