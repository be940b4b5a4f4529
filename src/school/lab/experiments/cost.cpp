// Self-attention, recurrence and convolution: cost of a sublayer, and how far each can look.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "lab/bench/copying.h"
#include "lab/bench/layer_time.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kKinds = {"attention", "gru", "convolution"};
constexpr std::array<int64_t, 5> kDistances = {1, 2, 4, 8, 16};
constexpr std::array<int64_t, 4> kWidths = {32, 64, 128, 256};  // d_model
constexpr std::array<int64_t, 7> kLengths = {8, 16, 32, 64, 128, 256, 512};
constexpr int64_t kSentences = 8;  // per timed batch
constexpr int64_t kKernel = 3, kLayers = 2;

using OneWidth = std::map<int64_t, LayerTime>;                                 // by length
using Times = std::map<int, std::map<int64_t, OneWidth>>;                      // by threads and d_model
using Copied = std::map<std::string, std::map<int64_t, std::vector<Result>>>;  // by kind and distance

Copying copying(const std::string& kind, int64_t distance, int64_t seed, int64_t updates) {
  Copying task{
      .architecture = Bench::small(), .distance = distance, .updates = updates, .seed = static_cast<uint64_t>(seed)};
  task.architecture.enc_layers = kLayers;
  task.architecture.source_vocab = task.architecture.target_vocab = Copying::kSymbols;
  task.architecture.encoder_mixing = task.architecture.encoder_mixing.parse("encoder-mixing", kind);
  task.architecture.kernel_width = kKernel;
  task.architecture.resolve();
  return task;
}

// Announces each of `all` measurements.
struct Progress {
  Watcher& watcher;
  int64_t all, done = 0;
  void begins(const std::string& what) { watcher.begins(done++, all, what); }
};

Copied copy_all(const Settings& settings, Progress& progress, Report& r) {
  Copied all;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int64_t distance : kDistances)
      for (const std::string kind : kKinds) {
        progress.begins(fmt::format("{}, copying at distance {}, seed {}", kind, distance, seed));
        const Result one =
            copy_at_distance(copying(kind, distance, seed, settings.updates),
                             fmt::format("{}/{}-{}-{}", settings.folder, kind, distance, seed), progress.watcher);
        if (one.failed) throw RunError(cat("the training of ", kind, " at distance ", distance, " diverged"));
        all[kind][distance].push_back(one);
        record({{"mixing", kind}, {"distance", distance}, {"seed", seed}}, one, r);
      }
  return all;
}

// Repetitions at the greatest length; shorter ones get up to six times as many.
int64_t turns(const Settings& settings) { return std::clamp<int64_t>(settings.updates / 40, 1, 9); }

// One thread measures the work, all threads what can run in parallel.
std::set<int> thread_counts() { return {1, threads()}; }

class ThreadsFor {
 public:
  explicit ThreadsFor(int n) : before_(threads()) { use_threads(n); }
  ~ThreadsFor() { use_threads(before_); }
  ThreadsFor(const ThreadsFor&) = delete;
  ThreadsFor& operator=(const ThreadsFor&) = delete;

 private:
  int before_;
};

OneWidth time_width(int64_t d, int64_t turns_of_longest, Report& r) {
  OneWidth all;
  for (const int64_t n : kLengths) {
    const int64_t repeats = turns_of_longest * std::min<int64_t>(6, kLengths.back() / n);
    const LayerTime& t = all[n] = time_layers(d, n, kSentences, repeats);
    nlohmann::ordered_json one{{"threads", threads()}, {"d_model", d}, {"length", n}, {"repeats", repeats}};
    for (size_t i = 0; i < kTimed.size(); ++i) one[kTimed[i]] = {{"seconds", t.seconds[i]}, {"relative", t.ratios[i]}};
    r.figures["timed"].push_back(one);
  }
  return all;
}

Times time_all(const Settings& settings, Progress& progress, Report& r) {
  Times all;
  for (const int count : thread_counts())
    for (const int64_t d : kWidths) {
      progress.begins(fmt::format("time at d_model {}, {}", d, text::counted(count, "thread")));
      const ThreadsFor these(count);
      all[count][d] = time_width(d, turns(settings), r);
    }
  return all;
}

void show_formulas(Report& r) {
  r.tables.push_back(
      {"Of n tokens: what Table 1 says of a layer, and the multiplications that the ones here need in a "
       "forward pass, with all their projections",
       {"layer", "Table 1", "here, per token", "steps one after the other", "longest path"},
       {{"self-attention", "n^2 d", "4 d^2 + 2 n d", "1", "1"},
        {"recurrence (GRU, d / 2 in each direction)", "n d^2", "4.5 d^2", "n", "n"},
        {"convolution of width k", "k n d^2", "k d^2", "1", "2 n / (k - 1) layers"}}});
}

// Derived from ratios within the same turn, so that the tables are consistent: under load, medians
// of times alone come from different turns.
double milliseconds(const LayerTime& t, size_t timed) { return 1e3 * t.seconds[0] * t.ratios[timed]; }

void show_times(const std::map<int64_t, OneWidth>& all, Report& r) {
  Table relative{fmt::format("What a GRU and a convolution of width {} take relative to self-attention on one "
                             "thread: above 1, self-attention is faster",
                             kKernel),
                 {"n"},
                 {}};
  for (const int64_t d : kWidths)
    for (const char* kind : {"GRU", "convolution"}) relative.columns.push_back(fmt::format("{}, d {}", kind, d));
  for (const int64_t n : kLengths) {
    relative.rows.push_back({cat(n)});
    for (const int64_t d : kWidths)
      for (const size_t i : {2, 3}) relative.rows.back().push_back(fmt::format("{:.2f}", all.at(d).at(n).ratios[i]));
  }
  r.tables.push_back(relative);
  constexpr int64_t d = 64;
  Table absolute{fmt::format("Milliseconds of a forward and a backward pass of {} sentences, d_model {}, one thread",
                             kSentences, d),
                 {"n", "self-attention", "its heads alone", "GRU", "convolution"},
                 {}};
  inspect::Chart chart{.title = fmt::format("Log2 of the milliseconds, d_model {}, one thread", d),
                       .x_label = "log2 of n",
                       .series = {{"self-attention", {}, true}, {"GRU", {}, true}, {"convolution", {}, true}}};
  for (const auto& [n, t] : all.at(d)) {
    absolute.rows.push_back({cat(n)});
    for (size_t i = 0; i < kTimed.size(); ++i)
      absolute.rows.back().push_back(fmt::format("{:.2f}", milliseconds(t, i)));
    for (const size_t i : {0, 2, 3})
      chart.series[i > 0 ? i - 1 : 0].points.emplace_back(std::log2(n), std::log2(milliseconds(t, i)));
  }
  r.tables.push_back(absolute);
  r.charts.push_back(chart);
}

// The number of tokens from which a GRU is faster than `timed`, interpolated logarithmically; in
// words.
std::string crossover(const OneWidth& times, size_t timed) {
  const auto lead = [&](const LayerTime& t) { return std::log(t.ratios[2] / t.ratios[timed]); };
  auto after = times.end();
  while (after != times.begin() && lead(std::prev(after)->second) <= 0) --after;
  if (after == times.end()) return fmt::format("above {}", times.rbegin()->first);
  if (after == times.begin()) return fmt::format("below {}", times.begin()->first);
  const auto before = std::prev(after);
  const double ahead = lead(before->second), part = ahead / (ahead - lead(after->second));
  const auto from = static_cast<double>(before->first), to = static_cast<double>(after->first);
  return fmt::format("at {:.0f}", from * std::pow(to / from, part));
}

void show_crossovers(const Times& all, Report& r) {
  Table t{"Tokens at which self-attention becomes slower than a GRU",
          {"d_model", "Table 1 (heads alone): n = d", "counted with projections: n = d / 4"},
          {}};
  for (const auto& [count, _] : all)
    for (const char* what : {"heads alone", "whole sublayer"})
      t.columns.push_back(fmt::format("{}, {}", what, text::counted(count, "thread")));
  for (const int64_t d : kWidths) {
    t.rows.push_back({cat(d), cat(d), cat(d / 4)});
    for (const auto& [count, widths] : all)
      for (const size_t timed : {1, 0}) t.rows.back().push_back(crossover(widths.at(d), timed));
  }
  r.tables.push_back(t);
}

void conclude_times(const Times& all, Report& r) {
  const int64_t low = kWidths.front(), high = kWidths.back();
  for (const auto& [count, widths] : all)
    r.findings.push_back(fmt::format(
        "On {}, a whole sublayer of self-attention becomes slower than a GRU {} tokens with d_model {} and {} tokens "
        "with d_model {}; the heads without their projections, which are what Table 1 counts, {} and {} tokens. Table "
        "1 "
        "has {} and {}.",
        text::counted(count, "thread"), crossover(widths.at(low), 0), low, crossover(widths.at(high), 0), high,
        crossover(widths.at(low), 1), crossover(widths.at(high), 1), low, high));
  const OneWidth& one = all.at(1).at(low);
  const auto growth = [&](size_t i) { return milliseconds(one.at(512), i) / milliseconds(one.at(256), i); };
  r.findings.push_back(fmt::format(
      "From 256 to 512 tokens with d_model {} on one thread, the time of the heads grows {:.1f} times, that of a GRU "
      "{:.1f} times and of a convolution {:.1f} times; n^2 d grows 4 times, n d^2 and k n d^2 2 times.",
      low, growth(1), growth(2), growth(3)));
}

std::vector<double> wrong(const std::vector<Result>& results) {
  std::vector<double> all;
  for (const Result& one : results) all.push_back(100 * (1 - one.accuracy));
  return all;
}

Spread right(const std::vector<Result>& results) {
  Spread s = spread_of(wrong(results));
  return {100 - s.mean, 100 - s.most, 100 - s.least};
}

void show_copied(const Copied& all, int64_t updates, Report& r) {
  Table t{fmt::format("Copying at a distance: symbols that are right, %, after {} (by chance {:.2f})",
                      text::counted(updates, "update"), 100.0 / Copying::kSymbols),
          {"distance"},
          {}};
  inspect::Chart chart{.title = "Symbols that are right, %", .x_label = "log2 of the distance", .series = {}};
  for (const char* kind : kKinds) {
    t.columns.emplace_back(kind);
    chart.series.push_back({.name = kind, .points = {}, .marked = true});
    for (const auto& [distance, results] : all.at(kind))
      add_point(std::log2(distance), right(results), chart.series.back());
  }
  for (const int64_t distance : kDistances) {
    t.rows.push_back({cat(distance)});
    for (const char* kind : kKinds) t.rows.back().push_back(show(right(all.at(kind).at(distance)), 1));
  }
  r.tables.push_back(t);
  r.charts.push_back(chart);
}

void conclude_copied(const Copied& all, Report& r) {
  constexpr int64_t reach = kLayers * (kKernel - 1) / 2;
  const int64_t far = kDistances.back();
  r.findings.push_back(fmt::format(
      "Copying the symbol {} tokens back, self-attention has {} % right and a GRU {} %; {}.", far,
      show(right(all.at("attention").at(far)), 1), show(right(all.at("gru").at(far)), 1),
      compare(wrong(all.at("attention").at(far)), "with self-attention", wrong(all.at("gru").at(far)), "with a GRU")));
  const auto by_distance = [&](const char* kind) {
    std::string text;
    for (const int64_t distance : kDistances)
      text +=
          fmt::format("{} {} % at {}", text.empty() ? "" : ",", show(right(all.at(kind).at(distance)), 1), distance);
    return text;
  };
  r.findings.push_back(
      fmt::format("By distance, a GRU has right{}; self-attention{}.", by_distance("gru"), by_distance("attention")));
  r.findings.push_back(fmt::format("{} convolutions of width {} reach {} tokens; they have right{}.", kLayers, kKernel,
                                   reach, by_distance("convolution")));
}

}  // namespace

Report cost(const Settings& settings, Watcher& watcher) {
  Report r;
  Progress progress{watcher, static_cast<int64_t>(kKinds.size() * kDistances.size()) * settings.seeds +
                                 static_cast<int64_t>(kWidths.size() * thread_counts().size())};
  const Copied copied = copy_all(settings, progress, r);
  const Times times = time_all(settings, progress, r);
  show_formulas(r);
  show_times(times.at(1), r);
  show_crossovers(times, r);
  conclude_times(times, r);
  show_copied(copied, settings.updates, r);
  conclude_copied(copied, r);
  r.method = {
      fmt::format(
          "Time: {} sentences of n tokens each, 4 heads, f32; a forward and a backward pass of the sublayer alone, "
          "self-attention, heads, GRU and convolution in turn, again and again: {} at {} tokens, up to six times as "
          "many at fewer. A ratio is the median of those of each turn, and a time is self-attention's median times it. "
          "The products of all are those of the library; "
          "the "
          "gates of the GRU are plain code. With several threads, each step of a GRU waits for the slowest of them, so "
          "other programs on the machine cost it more than the others. Other machines and batches have other "
          "crossovers.",
          kSentences, text::counted(turns(settings), "turn"), kLengths.back()),
      fmt::format(
          "Copying: an encoder alone ({} layers, d_model 64, d_ff 128, 4 heads, sinusoidal positions, no dropout) "
          "with its table as output layer reads {} random symbols out of {}, and is asked at each token for the one so "
          "many tokens before. {} of {} sentences, learning rate 2e-3 after 100 updates; tested on 256 other "
          "sentences. "
          "The three differ in nothing else; the GRU has 4.5, self-attention 4 and the convolution 3 d_model^2 weights "
          "per layer.",
          kLayers, Copying::kLength, Copying::kSymbols, text::counted(settings.updates, "update"),
          Copying::kSentences)};
  return r;
}

}  // namespace hexapla::lab
