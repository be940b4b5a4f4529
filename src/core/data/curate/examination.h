#pragma once
// The data doctor: reads parallel text once (twice after finding a shift, and once more to realign) and reports what is
// wrong, and where.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/range.h"
#include "data/curate/pairs/findings.h"
#include "data/curate/shifts/change_locator.h"
#include "data/curate/shifts/coverage.h"
#include "data/curate/shifts/realign.h"
#include "data/curate/shifts/shifts.h"
#include "data/files/parallel_text.h"

namespace hexapla::data {

struct ExamineOptions {
  static constexpr Range<double> kRatio{.least = 1, .most = 1e6, .open_least = true};
  static constexpr Range<int64_t> kLength{1, 1'000'000'000}, kShift{1, 100};

  data::ParallelSource text;
  std::optional<data::ParallelSource> tests;  // their sentences must not be in the text
  std::vector<std::string> vocabularies;      // SentencePiece models: for source and target, one for both, or none
  double max_ratio = 3;                       // of lengths, relative to Examination::typical_ratio
  int64_t max_length = 1000;                  // characters per line
  ShiftOptions shifts;
  std::vector<std::string> clean;  // output for pairs without faults: SOURCE and TARGET, or one TSV; none: not written
  std::vector<std::string> realigned;  // the same for the pairs of sides that are shifted, put in step again
  std::vector<Fault> keep, drop;       // faults that, contrary to their default, do not drop a pair, or do
};

struct Examination {
  std::string source_name, target_name;
  int64_t source_lines = 0, target_lines = 0;
  int64_t pairs = 0;  // complete pairs
  int64_t source_characters = 0, target_characters = 0;
  // Target characters per source character: the median of the first 10,000 pairs. After scaling by
  // it, lengths are "too different" if one is max_ratio times the other, adding ten to both.
  double typical_ratio = 1;
  Findings findings;
  ShiftPath path;
  std::vector<ShiftPlace> shifts;
  std::optional<Coverage> coverage;
  struct Tests {
    std::array<size_t, 2> sentences{}, found{};  // distinct ones, by side
  };
  std::optional<Tests> tests;
  struct Clean {
    int64_t kept = 0;
    std::array<int64_t, kFaults> dropped{};  // by a pair's first fault
    bool written = false;                    // false if the sides are misaligned
  };
  std::optional<Clean> clean;
  std::optional<Realigned> realigned;  // none: not asked for, or the sides have too little in common

  bool out_of_step() const { return source_lines != target_lines || !shifts.empty() || path.ends_lost; }
  int64_t count(Fault fault) const;  // on all sides
  // Number of kinds of faults that good corpora do not have; includes unequal lengths and shifts.
  int64_t faulty() const;
};

// Called occasionally in every stage with lines and the fraction read; may throw to stop.
using Watch = std::function<void(int64_t lines, double share)>;

// DataError: files that cannot be read as text (see LineReader), an unusable test set or
// vocabulary, an empty text. UsageError: an option out of range, files to write that overwrite the
// text, text to realign that can be read only once.
Examination examine(const ExamineOptions& options, const Watch& watch = {});

}  // namespace hexapla::data
