#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hexapla::train {

struct Validation;  // train/record/watch/watcher.h

// How good a validated model is: what is compared to find the best one.
struct Standing {
  std::string metric{};  // of the score: bleu, chrf, loss or script; "": `best-by`, as earlier versions stored it
  double score = 0;
  std::optional<std::array<double, 2>> ties{};  // chrF and loss, which decide between equal scores; none: not stored
  // The score on resamples of the validation lines, the same lines for every model; empty: not known.
  std::vector<double> resampled{};
  bool operator==(const Standing&) const = default;
};

// The standing by this metric. None if that is a script that failed.
std::optional<Standing> standing_of(const Validation& v, const std::string& metric);

// Is `a` better than `b`? BLEU and chrF are better if higher, losses if lower. With `best-by` auto, models have
// different metrics: one that is good enough for chrF is better than one that only its loss describes, and for BLEU
// better still.
bool is_better(const Standing& a, const Standing& b);

// Is the difference of two scores smaller than its standard error on the resamples of the validation lines? Then other
// lines could as well have turned it round (docs/adr/0103). False if the resamples are not known, and for equal models.
bool is_noise(const Standing& a, const Standing& b);

// Updates and standings of the best validated models of a run, up to a given number.
class BestModels {
 public:
  // Would this model be among the best `most`? If equal, the earlier one stays.
  bool accepts(const Standing& standing, int64_t most) const;
  // Adds a model. -> the update that it displaces, if any.
  std::optional<int64_t> add(int64_t update, const Standing& standing, int64_t most);
  std::vector<int64_t> updates() const;  // oldest first

  std::string text() const;                          // "1200:38.9 1400:39.1"
  static BestModels parse(const std::string& text);  // inverse of text(), without metrics and ties

  // Calls f(update, standing) for each.
  template <class F>
  void each(F&& f) {
    for (Entry& e : entries_) f(e.update, e.standing);
  }

 private:
  struct Entry {
    int64_t update;
    Standing standing;
  };
  size_t worst() const;
  std::vector<Entry> entries_;  // oldest first
};

}  // namespace hexapla::train
