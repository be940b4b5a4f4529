#include "train/record/best_models.h"

#include <fmt/format.h>

#include <sstream>

#include "base/classic.h"

namespace hexapla::train {

bool is_better(const std::string& metric, double a, double b) { return metric == "loss" ? a < b : a > b; }

size_t BestModels::worst(const std::string& metric) const {
  size_t worst = 0;  // the latest of equal scores
  for (size_t i = 1; i < entries_.size(); ++i)
    if (!is_better(metric, entries_[i].score, entries_[worst].score)) worst = i;
  return worst;
}

bool BestModels::accepts(double score, int64_t most, const std::string& metric) const {
  if (std::ssize(entries_) < most) return true;
  return most > 0 && is_better(metric, score, entries_[worst(metric)].score);
}

std::optional<int64_t> BestModels::add(int64_t update, double score, int64_t most, const std::string& metric) {
  std::optional<int64_t> dropped;
  if (std::ssize(entries_) >= most) {
    const auto entry = entries_.begin() + static_cast<std::ptrdiff_t>(worst(metric));
    dropped = entry->update;
    entries_.erase(entry);
  }
  entries_.push_back({update, score});
  return dropped;
}

std::vector<int64_t> BestModels::updates() const {
  std::vector<int64_t> all;
  for (const Entry& e : entries_) all.push_back(e.update);
  return all;
}

std::string BestModels::text() const {
  std::string all;
  for (const Entry& e : entries_) all += fmt::format("{}{}:{}", all.empty() ? "" : " ", e.update, e.score);
  return all;
}

BestModels BestModels::parse(const std::string& text) {
  BestModels models;
  Classic<std::istringstream> in(text);
  Entry e{};
  for (char colon; in >> e.update >> colon >> e.score;) models.entries_.push_back(e);
  return models;
}

}  // namespace hexapla::train
