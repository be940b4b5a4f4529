#pragma once
// Finds where two files lose step: from some line on, line i of one is translated by line i + shift of the other.
// How and why so: docs/adr/0013-shifts-by-a-path-through-offsets.md.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "curate/signature.h"

namespace hexapla::curate {

struct ShiftOptions {
  int max_shift = 10;    // lines, in either direction
  double evidence = 30;  // nats that a change has to be worth
  double share = 0.25;   // of the usual information a pair that a shifted stretch has to gain a pair
  double enough = 0.02;  // nats a pair; below, the two sides have nothing in common that could be followed
};

// From source line `begin` (counted from 0) up to the next stretch, source line i goes with target line i + shift.
struct Stretch {
  int64_t begin = 0;
  int shift = 0;
  double evidence = 0;  // nats by which this shift explains the stretch better than the shift before it
};

// Source lines begin .. end - 1, counted from 0, whose partners have nothing in common with them: no translations, or
// shifted by more than max_shift.
struct LostPassage {
  int64_t begin = 0, end = 0;
  double evidence = 0;  // nats by which chance explains it better
};

struct ShiftPath {
  std::vector<Stretch> stretches;  // one or more; the first begins at 0
  std::vector<LostPassage> lost;   // where none of the shifts tells anything; no stretch begins there
  bool ends_lost = false;          // as after a shift that was too large; junk is followed by lines in step again
  double information = 0;          // nats a pair that the signatures of a pair tell about each other (held out)
  bool can_judge = false;          // information is enough; otherwise stretches says nothing
  int64_t shortest = 0;            // a shifted stretch of fewer pairs may go unseen
};

// Lines i of both sides are expected to be a pair; the sides may differ in length. now_and_then() may throw to stop.
ShiftPath find_shifts(std::span<const LineSignature> source, std::span<const LineSignature> target,
                      const ShiftOptions& options = {}, const std::function<void()>& now_and_then = {});

}  // namespace hexapla::curate
