// Why 1 / sqrt(d_k): first on random numbers like those in a new layer, then in trainings.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/compute/random.h"
#include "base/error.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr std::array kScoreNames = {"scaled-dot", "dot", "additive"};
constexpr std::array kProbed = {4, 8, 16, 32, 64, 128, 256, 512};
constexpr std::array kTrained = {4, 32, 256};
constexpr int64_t kKeys = 64, kQueries = 200;

// Statistics of a softmax over kKeys scores.
struct Softmax {
  double deviation = 0;  // of the scores
  double entropy = 0;    // of the weights, nats; at most log(kKeys)
  double gradient = 0;   // Frobenius norm of d weights / d scores
};

Softmax of_scores(const std::vector<double>& s) {
  const double n = static_cast<double>(s.size());
  const double top = *std::max_element(s.begin(), s.end());
  double sum = 0, mean = 0, square = 0;
  std::vector<double> p;
  for (const double v : s) p.push_back(std::exp(v - top)), sum += p.back(), mean += v / n, square += v * v / n;
  Softmax r{.deviation = std::sqrt(std::max(0.0, square - mean * mean))};
  double squares = 0, cubes = 0;  // of the weights
  for (double& w : p) {
    w /= sum;
    if (w > 0) r.entropy -= w * std::log(w);
    squares += w * w;
    cubes += w * w * w;
  }
  r.gradient = std::sqrt(std::max(0.0, squares - 2 * cubes + squares * squares));  // for diag(w) - w w^T
  return r;
}

using Vector = std::vector<double>;

Vector normal_vector(Random& random, int64_t n) {
  Vector v(static_cast<size_t>(n));
  for (double& x : v) x = random.normal();
  return v;
}

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// w^T tanh(q + k) (Bahdanau et al. 2015).
double additive(const Vector& w, const Vector& q, const Vector& k) {
  double sum = 0;
  for (size_t i = 0; i < w.size(); ++i) sum += w[i] * std::tanh(q[i] + k[i]);
  return sum;
}

// Mean over queries. Components of queries and keys are independent with mean 0 and variance 1, as
// in the paper's footnote 4; w is initialized like a layer, within +-sqrt(6 / (d_k + 1)).
Softmax probe(const std::string& score, int64_t d_k, uint64_t seed) {
  Random random(seed, static_cast<uint64_t>(d_k));
  Vector w(static_cast<size_t>(d_k));
  for (double& x : w) x = (2 * random.uniform() - 1) * std::sqrt(6.0 / static_cast<double>(d_k + 1));
  std::vector<Vector> keys;
  for (int64_t i = 0; i < kKeys; ++i) keys.push_back(normal_vector(random, d_k));
  const double factor = score == "dot" ? 1 : 1 / std::sqrt(static_cast<double>(d_k));
  Softmax mean;
  for (int64_t i = 0; i < kQueries; ++i) {
    const Vector q = normal_vector(random, d_k);
    std::vector<double> scores;
    for (const Vector& k : keys) scores.push_back(score == "additive" ? additive(w, q, k) : factor * product(q, k));
    const Softmax one = of_scores(scores);
    mean.deviation += one.deviation / kQueries;
    mean.entropy += one.entropy / kQueries;
    mean.gradient += one.gradient / kQueries;
  }
  return mean;
}

using Probed = std::map<std::string, std::map<int, std::array<Spread, 3>>>;  // deviation, entropy, gradient

Probed probe_all(int64_t seeds, Report& r) {
  Probed all;
  for (const std::string score : kScoreNames)
    for (const int d_k : kProbed) {
      std::vector<double> deviation, entropy, gradient;
      for (int64_t seed = 1; seed <= seeds; ++seed) {
        const Softmax s = probe(score, d_k, static_cast<uint64_t>(seed));
        deviation.push_back(s.deviation);
        entropy.push_back(s.entropy);
        gradient.push_back(s.gradient);
      }
      all[score][d_k] = {spread_of(deviation), spread_of(entropy), spread_of(gradient)};
      r.figures["untrained"].push_back(
          {{"score", score}, {"d_k", d_k}, {"deviation", deviation}, {"entropy", entropy}, {"gradient", gradient}});
    }
  return all;
}

void show_probed(const Probed& all, Report& r) {
  Table t{
      "Untrained: standard deviation of the scores, entropy of the weights (at most 4.159 nats), norm of the gradient",
      {"d_k"},
      {}};
  for (const char* score : kScoreNames)
    for (const char* what : {"deviation", "entropy", "gradient"}) t.columns.push_back(cat(score, " ", what));
  for (const int d_k : kProbed) {
    t.rows.push_back({cat(d_k)});
    for (const char* score : kScoreNames)
      for (const Spread& s : all.at(score).at(d_k)) t.rows.back().push_back(fmt::format("{:.4f}", s.mean));
  }
  r.tables.push_back(t);
  const std::array titles = {"Entropy of the weights, nats", "Norm of the gradient through the softmax"};
  for (size_t i = 0; i < titles.size(); ++i) {
    inspect::Chart chart{.title = titles[i], .x_label = "log2 of d_k", .series = {}};
    for (const char* score : kScoreNames) {
      chart.series.push_back({.name = score, .points = {}, .marked = true});
      for (const auto& [d_k, s] : all.at(score)) add_point(std::log2(d_k), s[i + 1], chart.series.back());
    }
    r.charts.push_back(chart);
  }
}

void conclude_probed(const Probed& all, Report& r) {
  const auto& dot = all.at("dot");
  const auto& scaled = all.at("scaled-dot");
  const int low = kProbed.front(), high = kProbed.back();
  r.findings.push_back(fmt::format(
      "Untrained, the scores of plain products have a standard deviation of {:.2f} at d_k = {} and {:.2f} at d_k = {}; "
      "the square root of d_k is {:.2f} and {:.2f}, as footnote 4 says. Divided by it, they have {:.2f} and {:.2f}.",
      dot.at(low)[0].mean, low, dot.at(high)[0].mean, high, std::sqrt(low), std::sqrt(high), scaled.at(low)[0].mean,
      scaled.at(high)[0].mean));
  r.findings.push_back(fmt::format(
      "At d_k = {} the gradient that passes the softmax has a norm of {:.4f} for plain products and {:.4f} for scaled "
      "ones (a ratio of {:.2f}); the entropy of the weights is {:.2f} and {:.2f} of at most {:.2f} nats.",
      high, dot.at(high)[2].mean, scaled.at(high)[2].mean, dot.at(high)[2].mean / scaled.at(high)[2].mean,
      dot.at(high)[1].mean, scaled.at(high)[1].mean, std::log(double(kKeys))));
}

Training training_with_scale(const std::string& score, int d_k, int64_t seed, int64_t updates) {
  Training t{.name = fmt::format("{}-{}-{}", score, d_k, seed),
             .architecture = Bench::small(),
             .seed = static_cast<uint64_t>(seed),
             .updates = updates};
  t.architecture.heads = 2;
  t.architecture.d_k = d_k;
  t.architecture.d_v = 32;
  t.architecture.score = t.architecture.score.parse("score", score);
  return t;
}

using TrainedScales = std::map<std::string, std::map<int, std::vector<Result>>>;

TrainedScales train_scales(const Settings& settings, Watcher& watcher, Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  const int64_t all = static_cast<int64_t>(kScoreNames.size() * kTrained.size()) * settings.seeds;
  TrainedScales trained;
  int64_t done = 0;
  for (int64_t seed = 1; seed <= settings.seeds; ++seed)
    for (const int d_k : kTrained)
      for (const char* score : kScoreNames) {
        watcher.begins(done++, all, fmt::format("{}, d_k {}, seed {}", score, d_k, seed));
        const Result one = bench.train(training_with_scale(score, d_k, seed, settings.updates));
        trained[score][d_k].push_back(one);
        record({{"score", score}, {"d_k", d_k}, {"seed", seed}}, one, r);
      }
  return trained;
}

std::vector<double> losses(const std::vector<Result>& results) {
  std::vector<double> all;
  for (const Result& one : results)
    if (!one.failed) all.push_back(one.loss);
  return all;
}

void show_trained_scales(const TrainedScales& trained, int64_t updates, Report& r) {
  Table t{fmt::format("Trained for {} updates on dates: loss of unseen dates, nats per token", updates), {"d_k"}, {}};
  for (const char* score : kScoreNames) t.columns.emplace_back(score);
  for (const int d_k : kTrained) {
    t.rows.push_back({cat(d_k)});
    for (const char* score : kScoreNames) {
      const auto some = losses(trained.at(score).at(d_k));
      t.rows.back().push_back(some.empty() ? "diverged" : show(spread_of(some), 4));
    }
  }
  r.tables.push_back(t);
}

std::vector<double> all_losses(const std::vector<Result>& results) {
  const std::vector<double> finite = losses(results);
  return with_failed(finite, static_cast<int64_t>(results.size() - finite.size()));
}

std::vector<double> seconds(const std::vector<Result>& results) {
  std::vector<double> all;
  for (const Result& one : results) all.push_back(one.seconds);
  return all;
}

void conclude_trained_scales(const TrainedScales& trained, Report& r) {
  for (const int d_k : {kTrained.front(), kTrained.back()}) {
    const auto &dot = trained.at("dot").at(d_k), &scaled = trained.at("scaled-dot").at(d_k),
               &additive = trained.at("additive").at(d_k);
    if (losses(dot).empty() || losses(scaled).empty() || losses(additive).empty()) {
      r.findings.push_back(fmt::format("Trained at d_k = {}, a loss was not finite with every seed.", d_k));
      continue;
    }
    r.findings.push_back(fmt::format("Trained at d_k = {}, the loss is {} with the factor and {} without it; {}.", d_k,
                                     show(spread_of(losses(scaled)), 4), show(spread_of(losses(dot)), 4),
                                     verdict(all_losses(scaled), all_losses(dot), "the factor")));
    const auto against = [&](const std::vector<Result>& other, const char* with) {
      return compare(all_losses(additive), "with additive scores", all_losses(other), with);
    };
    r.findings.push_back(fmt::format(
        "With additive scores at d_k = {} the loss is {}; beside products without the factor, {}; with it, {}. A "
        "training took {} s, with products and the factor {} s; of time, {}.",
        d_k, show(spread_of(losses(additive)), 4), against(dot, "with products"), against(scaled, "with products"),
        show(spread_of(seconds(additive)), 1), show(spread_of(seconds(scaled)), 1),
        compare(seconds(additive), "with additive scores", seconds(scaled), "with products")));
  }
}

}  // namespace

Report scale(const Settings& settings, Watcher& watcher) {
  Report r;
  const Probed probed = probe_all(settings.seeds, r);
  show_probed(probed, r);
  conclude_probed(probed, r);
  const TrainedScales trained = train_scales(settings, watcher, r);
  show_trained_scales(trained, settings.updates, r);
  conclude_trained_scales(trained, r);
  r.method = {
      fmt::format("Untrained: {} queries against {} keys whose components are independent, with mean 0 and variance 1; "
                  "the entropy and the norm of d weights / d scores are means over the queries.",
                  kQueries, kKeys),
      cat("Trained: ", about_dates(settings.test_pairs),
          " 2 + 2 layers, d_model 64, 2 heads with d_v 32, d_ff 128, no dropout; ",
          text::counted(settings.updates, "update"),
          " of 512 target tokens, learning rate 2e-3 after 100 updates. The three scores differ in nothing else; "
          "additive "
          "attention has one vector w per head more.")};
  return r;
}

}  // namespace hexapla::lab
