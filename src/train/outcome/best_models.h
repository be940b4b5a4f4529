#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla::train {

// Is a validation with score `a` better than one with `b`? metric: bleu and chrf, more is better; loss, less is.
bool is_better(const std::string& metric, double a, double b);

// The updates of the best validated models of a run, at most so many, with their scores.
class BestModels {
 public:
  // Does a model of this score belong to the best `most`? Of equals the earlier one stays.
  bool accepts(double score, int64_t most, const std::string& metric) const;
  // Takes it in. -> the update that is no longer among them, if there is one.
  std::optional<int64_t> add(int64_t update, double score, int64_t most, const std::string& metric);
  std::vector<int64_t> updates() const;  // oldest first

  std::string text() const;                          // "1200:38.9 1400:39.1"
  static BestModels parse(const std::string& text);  // of text()

 private:
  struct Entry {
    int64_t update;
    double score;
  };
  size_t worst(const std::string& metric) const;
  std::vector<Entry> entries_;  // oldest first
};

}  // namespace hexapla::train
