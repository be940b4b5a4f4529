#pragma once
// Successive halving (Jamieson and Talwalkar 2016): trains all candidates briefly, continues the
// best third three times as long, and so on.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hexapla::train::tune {

// Numbers of candidates and rungs: as many as leave each candidate a minute and a half in the first
// rung, but at least two rungs.
struct Ladder {
  int64_t rungs = 2;
  size_t candidates() const;           // in the first rung: 3 to the power of rungs - 1
  size_t planned(int64_t rung) const;  // that reach a rung, from 0, if none fails
};
Ladder make_ladder(double minutes);

// Candidates that continue after a rung: the first, which is the baseline, and the best third of
// the others, rounded up, by loss (lower is better; none: failed). Indices, ascending; earlier ones
// win ties.
std::vector<size_t> survivors(const std::vector<std::optional<double>>& losses);

// Training seconds for each of `now` candidates in a rung, on top of earlier ones, so that all
// remaining rungs fit into `left` seconds. overhead: seconds per candidate and rung besides
// training. 0: no time left.
double seconds_of_rung(const Ladder& ladder, int64_t rung, size_t now, double left, double overhead);

}  // namespace hexapla::train::tune
