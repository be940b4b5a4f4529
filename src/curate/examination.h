#pragma once
// The data doctor: reads parallel text once (twice where a shift was found) and says what is wrong with it, where.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/range.h"
#include "curate/findings.h"
#include "curate/shifts/change_locator.h"
#include "curate/shifts/coverage.h"
#include "curate/shifts/shifts.h"
#include "data/files/parallel_text.h"

namespace hexapla::curate {

struct ExamineOptions {
  static constexpr Range<double> kRatio{.least = 1, .most = 1e6, .open_least = true};
  static constexpr Range<int64_t> kLength{1, 1'000'000'000}, kShift{1, 100};

  data::ParallelSource text;
  std::optional<data::ParallelSource> tests;  // whose sentences must not be in the text
  std::vector<std::string> vocabularies;      // SentencePiece models: of source and target, one for both, or none
  double max_ratio = 3;                       // of the lengths, see Examination::typical_ratio
  int64_t max_length = 1000;                  // characters of a line
  ShiftOptions shifts;
  std::vector<std::string> clean;  // where pairs without faults go: SOURCE and TARGET, or one TSV; none: nowhere
  std::vector<Fault> keep, drop;   // faults that lead, against their default, not to dropping a pair, or to it
};

struct Examination {
  std::string source_name, target_name;
  int64_t source_lines = 0, target_lines = 0;
  int64_t pairs = 0;  // with two sides
  int64_t source_characters = 0, target_characters = 0;
  // Target characters a source character: the median of the first 10,000 pairs. A pair's lengths are "too different"
  // if, after that, one is max_ratio times the other, ten characters added to both.
  double typical_ratio = 1;
  Findings findings;
  ShiftPath path;
  std::vector<ShiftPlace> shifts;
  std::optional<Coverage> coverage;
  struct Tests {
    std::array<size_t, 2> sentences{}, found{};  // different ones, by side
  };
  std::optional<Tests> tests;
  struct Clean {
    int64_t kept = 0;
    std::array<int64_t, kFaults> dropped{};  // by the first fault of a pair
    bool written = false;                    // not if the sides are out of step
  };
  std::optional<Clean> clean;

  bool out_of_step() const { return source_lines != target_lines || !shifts.empty() || path.ends_lost; }
  int64_t count(Fault fault) const;  // on all sides
  // Kinds of faults that are more than usual in good corpora; an unequal length and shifts are two of them.
  int64_t faulty() const;
};

// Called now and then, in every stage, with the lines read and the share of the file that was; may throw to stop.
using Watch = std::function<void(int64_t lines, double share)>;

// DataError: files that cannot be read as text at all (see LineReader), a test set or a vocabulary that cannot be used,
// an empty text. UsageError: an option out of range, clean files that would overwrite the text.
Examination examine(const ExamineOptions& options, const Watch& watch = {});

}  // namespace hexapla::curate
