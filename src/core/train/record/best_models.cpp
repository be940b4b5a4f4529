#include "train/record/best_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "base/classic.h"
#include "train/record/watch/watcher.h"

namespace hexapla::train {
namespace {

// Scores in the metrics that `best-by` auto compares by. An empty one is never beside another.
int level(const std::string& metric) { return metric == "loss" ? 0 : metric == "chrf" ? 1 : 2; }

// Not finite: the worst of all, as a diverged model's loss.
double finite(double value) { return std::isfinite(value) ? value : std::numeric_limits<double>::max(); }

}  // namespace

std::optional<Standing> standing_of(const Validation& v, const std::string& metric) {
  const std::array<double, 2> ties{v.chrf.value_or(0), finite(v.loss)};
  const std::optional<double> score = metric == "loss"     ? ties[1]
                                      : metric == "script" ? v.script
                                      : metric == "chrf"   ? v.chrf
                                                           : v.bleu;
  if (!score) return {};
  const auto resampled = v.resampled.find(metric);
  return Standing{metric, *score, ties, resampled == v.resampled.end() ? std::vector<double>() : resampled->second};
}

bool is_better(const Standing& a, const Standing& b) {
  const std::string& metric = a.metric.empty() ? b.metric : a.metric;
  if (!b.metric.empty() && metric != b.metric) return level(metric) > level(b.metric);
  if (a.score != b.score) return metric == "loss" ? a.score < b.score : a.score > b.score;
  if (!a.ties || !b.ties || a.ties == b.ties) return false;
  const auto& [chrf, loss] = *a.ties;
  const auto& [other_chrf, other_loss] = *b.ties;
  return chrf != other_chrf ? chrf > other_chrf : loss < other_loss;
}

bool is_noise(const Standing& a, const Standing& b) {
  const size_t n = a.resampled.size();
  if (a.metric != b.metric || n < 2 || b.resampled.size() != n) return false;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < n; ++i) {
    const double difference = a.resampled[i] - b.resampled[i];
    sum += difference, squares += difference * difference;
  }
  const double variance = (squares - sum * sum / double(n)) / double(n - 1);
  return (a.score - b.score) * (a.score - b.score) < variance;
}

size_t BestModels::worst() const {
  size_t worst = 0;  // the latest of equals
  for (size_t i = 1; i < entries_.size(); ++i)
    if (!is_better(entries_[i].standing, entries_[worst].standing)) worst = i;
  return worst;
}

bool BestModels::accepts(const Standing& standing, int64_t most) const {
  if (std::ssize(entries_) < most) return true;
  return most > 0 && is_better(standing, entries_[worst()].standing);
}

std::optional<int64_t> BestModels::add(int64_t update, const Standing& standing, int64_t most) {
  std::optional<int64_t> dropped;
  if (std::ssize(entries_) >= most) {
    const auto entry = entries_.begin() + static_cast<std::ptrdiff_t>(worst());
    dropped = entry->update;
    entries_.erase(entry);
  }
  entries_.push_back({update, standing});
  return dropped;
}

std::vector<int64_t> BestModels::updates() const {
  std::vector<int64_t> all;
  for (const Entry& e : entries_) all.push_back(e.update);
  return all;
}

std::string BestModels::text() const {
  std::string all;
  for (const Entry& e : entries_) all += fmt::format("{}{}:{}", all.empty() ? "" : " ", e.update, e.standing.score);
  return all;
}

BestModels BestModels::parse(const std::string& text) {
  BestModels models;
  Classic<std::istringstream> in(text);
  int64_t update = 0;
  double score = 0;
  for (char colon; in >> update >> colon >> score;) models.entries_.push_back({update, {"", score, {}}});
  return models;
}

}  // namespace hexapla::train
