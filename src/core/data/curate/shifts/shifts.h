#pragma once
// Finds where two files become misaligned: from some line on, line i of one matches line i + shift
// of the other. Method and reasons: docs/adr/0013-shifts-by-a-path-through-offsets.md.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/curate/pairs/signature.h"

namespace hexapla::data {

struct ShiftOptions {
  int max_shift = 10;    // lines in either direction
  double evidence = 30;  // nats required for a change
  double share = 0.25;   // required gain per pair of a shifted stretch, relative to the usual information
  double enough = 0.02;  // nats per pair; below, the sides have too little in common to be aligned
};

// From source line `begin` (from 0) to the next stretch, line i matches target line i + shift.
struct Stretch {
  int64_t begin = 0;
  int shift = 0;
  double evidence = 0;  // nats by which this shift explains the stretch better than the previous one
};

// Source lines begin .. end - 1, from 0, that have nothing in common with their partners: not
// translations, or shifted by more than max_shift.
struct LostPassage {
  int64_t begin = 0, end = 0;
  double evidence = 0;  // nats by which chance explains it better
};

struct ShiftPath {
  std::vector<Stretch> stretches;  // at least one; the first begins at 0
  std::vector<LostPassage> lost;   // passages where no shift matches; no stretch begins there
  bool ends_lost = false;          // as after too large a shift; after mere junk, lines match again
  double information = 0;          // nats per pair that its signatures share (held out)
  bool can_judge = false;          // information is sufficient; otherwise ignore stretches
  int64_t shortest = 0;            // shifted stretches with fewer pairs may be missed
};

// Lines i of both sides should be a pair; lengths may differ. now_and_then() may throw to stop.
ShiftPath find_shifts(std::span<const LineSignature> source, std::span<const LineSignature> target,
                      const ShiftOptions& options = {}, const std::function<void()>& now_and_then = {});

}  // namespace hexapla::data
