#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla::train {

// Is score `a` better than `b`? For bleu and chrf higher is better, for loss lower.
bool is_better(const std::string& metric, double a, double b);

// Updates and scores of the best validated models of a run, up to a given number.
class BestModels {
 public:
  // Would a model with this score be among the best `most`? If equal, the earlier one stays.
  bool accepts(double score, int64_t most, const std::string& metric) const;
  // Adds a model. -> the update that it displaces, if any.
  std::optional<int64_t> add(int64_t update, double score, int64_t most, const std::string& metric);
  std::vector<int64_t> updates() const;  // oldest first

  std::string text() const;                          // "1200:38.9 1400:39.1"
  static BestModels parse(const std::string& text);  // inverse of text()

 private:
  struct Entry {
    int64_t update;
    double score;
  };
  size_t worst(const std::string& metric) const;
  std::vector<Entry> entries_;  // oldest first
};

}  // namespace hexapla::train
